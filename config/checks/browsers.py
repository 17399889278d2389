"""Which browsers the tests can be run with."""

# The first that is there. The shell is the same Chromium without a window: nothing draws tabs and an
# address bar, which takes a quarter of the processor time of the tests in browsers.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
