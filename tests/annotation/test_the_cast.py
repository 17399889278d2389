from annotation.models import Assignment, Item


def test_the_pond_has_six_items_that_ben_and_cleo_owe(pond_round):
    assert Item.objects.filter(study=pond_round.study).count() == 6
    assert Assignment.objects.filter(round=pond_round).count() == 12
