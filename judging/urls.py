"""Where the pages of this app are."""

urlpatterns = []
