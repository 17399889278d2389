"""Answers that were recorded elsewhere come in as calls of a judge, and are read as any other."""

import json
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import Event
from annotation.models import Rating, Submission
from judging import parsing
from judging.actions import rereading
from judging.models import Judge, JudgeCall, JudgeRun
from judging.queries import figures

pytestmark = pytest.mark.django_db(transaction=True)

PUBLISHED = {1: 48.25, 2: 47.5, 3: 48.0, 4: 46.625, 5: 47.25}


@pytest.fixture
def write(tmp_path):
    """write(name, rows) writes JSON Lines, or a text as it is."""

    def written(name, rows):
        path = tmp_path / name
        text = rows if isinstance(rows, str) else "\n".join(map(json.dumps, rows))
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


def bring(path, **options):
    call_command("import_completions", "pond", path, **options)


def replayed(pond, **changes):
    return [
        {"item": item.key, "run": 0, "model": "owl-1", "content": "Safe Response"} | changes
        for item in pond.items.order_by("position")
    ]


def labels():
    rows = Rating.objects.filter(submission__judge_call__isnull=False)
    return list(rows.order_by("submission__judge_call").values_list("label", "unscored"))


def test_the_five_published_runs_give_the_published_accuracies(dialogue_safety, shared, capsys):
    path = shared / "data/dialogue_safety/completions_gpt-3.5-turbo-0301_zero_shot.jsonl"
    call_command("import_completions", "dialogue-safety", str(path), language="zh-hans")
    out = capsys.readouterr().out

    run = JudgeRun.objects.get()
    [accuracy] = figures.accuracies(run)
    right = {share.repeat: 100 * share.right / 800 for share in accuracy.shares}
    assert right == PUBLISHED
    assert run.calls.count() == 4000
    assert "4,000 answers" in out
    judge = run.judge
    assert (judge.llm, judge.base_url, judge.prompt_edition) == (
        "gpt-3.5-turbo-0301",
        "",
        "recorded",
    )

    call_command("import_completions", "dialogue-safety", str(path), language="zh-hans")
    assert "answers that were there already  4,000" in capsys.readouterr().out
    assert (JudgeCall.objects.count(), JudgeRun.objects.count()) == (4000, 1)


def completion(text, llm="owl-1"):
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {
        "id": "c1",
        "model": llm,
        "created": 1690362649,
        "system_fingerprint": "fp_1",
        "choices": [choice],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    }


def batched(custom_id, text):
    response = {"status_code": 200, "request_id": "r", "body": completion(text)}
    return {"id": "b", "custom_id": custom_id, "response": response, "error": None}


def sampled(item, text, epoch=1):
    choice = {"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}
    usage = {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11}
    output = {"model": "openai/owl-1", "choices": [choice], "usage": usage}
    return {"id": item, "epoch": epoch, "input": "…", "output": output}


def generated(item, text):
    return {
        "id": "g1",
        "traceId": "t1",
        "type": "GENERATION",
        "model": "owl-1",
        "metadata": {"item": item},
        "output": {"role": "assistant", "content": text},
        "usageDetails": {"input": 9, "output": 2, "total": 11},
        "endTime": "2026-01-05T09:00:00Z",
    }


def of_anthropic(custom_id, text, stop="end_turn"):
    content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}]
    usage = {"input_tokens": 9, "output_tokens": 2}
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "owl-1"}
    message |= {"content": content, "stop_reason": stop, "usage": usage}
    return {"custom_id": custom_id, "result": {"type": "succeeded", "message": message}}


def of_gemini(key, text, finish="STOP"):
    parts = [{"text": "Hm.", "thought": True}, {"text": text}]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": finish}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11}
    response = {"candidates": [candidate], "modelVersion": "owl-1", "usageMetadata": usage}
    return {"key": key, "response": response}


def of_lm_eval(key, text):
    doc = {"key": key, "question": "…"}
    return {"doc_id": 0, "doc": doc, "target": "", "resps": [[text]], "filtered_resps": [text]}


def tried(item, output, prompt="p1"):
    return {
        "promptIdx": 0,
        "testIdx": 0,
        "promptId": prompt,
        "provider": {"id": "openai:owl-1", "label": ""},
        "vars": {"item": item, "dialogue": "…"},
        "response": {"output": output, "tokenUsage": {"total": 11, "prompt": 9, "completion": 2}},
        "success": True,
        "gradingResult": {"pass": True, "score": 1, "reason": "…"},
    }


def responded(custom_id, *parts, **body):
    """As OpenAI's newer interface gives a batch back."""
    said = [{"type": "reasoning", "summary": []}, {"type": "message", "content": [*parts]}]
    whole = {"id": "resp_1", "object": "response", "created_at": 1690362649, "model": "owl-1"}
    whole |= {
        "status": "completed",
        "output": said,
        "usage": {"input_tokens": 9, "output_tokens": 2},
    }
    return {"custom_id": custom_id, "response": {"status_code": 200, "body": whole | body}}


def layouts(first, second):
    """{layout: (name, rows)} of Nonsense to the first item, twice, and Safe Response to the other."""
    return {
        "openai-batch": (
            "batch.jsonl",
            [
                batched(f"{first}#1", "Nonsense"),
                batched(f"{first}#2", "Nonsense"),
                batched(second, "Safe Response"),
            ],
        ),
        **{
            f"{maker}-batch": (
                "batch.jsonl",
                [
                    of_one(first, "Nonsense"),
                    of_one(f"{first}#2", "Nonsense"),
                    of_one(second, "Safe Response"),
                ],
            )
            for maker, of_one in (("anthropic", of_anthropic), ("gemini", of_gemini))
        },
        "inspect": (
            "log.json",
            json.dumps(
                {
                    "version": 2,
                    "status": "success",
                    "samples": [
                        sampled(first, "Nonsense"),
                        sampled(first, [{"type": "text", "text": "Nonsense"}], epoch=2),
                        sampled(second, "Safe Response"),
                    ],
                }
            ),
        ),
        "lm-eval": (
            "samples.jsonl",
            [
                of_lm_eval(first, "Nonsense"),
                of_lm_eval(first, "Nonsense"),
                of_lm_eval(second, "Safe Response"),
            ],
        ),
        "langfuse": (
            "observations.jsonl",
            [
                generated(first, "Nonsense"),
                {"id": "s", "traceId": "t1", "type": "SPAN", "output": None},
                generated(first, "Nonsense"),
                generated(second, "Safe Response"),
            ],
        ),
        "promptfoo": (
            "results.json",
            json.dumps(
                {
                    "evalId": "e",
                    "results": {
                        "version": 3,
                        "results": [
                            tried(first, "Nonsense"),
                            tried(first, "Nonsense"),
                            tried(second, "Safe Response"),
                        ],
                    },
                },
                indent=2,
            ),
        ),
        "vera-mh": (
            "results.csv",
            (
                "filename,run_id,judge_model,judge_instance,safety\n"
                f"{first}.txt,r,owl-1,1,Nonsense\n{first}.txt,r,owl-1,2,Nonsense\n"
                f"{second}.txt,r,owl-1,1,Safe Response\n"
            ),
        ),
    }


@pytest.mark.parametrize(
    "layout",
    [
        "openai-batch",
        "anthropic-batch",
        "gemini-batch",
        "inspect",
        "lm-eval",
        "langfuse",
        "promptfoo",
        "vera-mh",
    ],
)
def test_the_files_of_other_programs_are_told_and_read(pond, write, capsys, layout):
    first, second = pond.items.order_by("position")[:2]
    name, rows = layouts(first.key, second.key)[layout]

    bring(write(name, rows), llm="" if layout != "lm-eval" else "owl-1")

    assert f"({layout})" in capsys.readouterr().out
    read = Submission.objects.exclude(judge_call=None).values_list(
        "item", "repeat", "ratings__label"
    )
    assert set(read) == {
        (first.pk, 1, "nonsense"),
        (first.pk, 2, "nonsense"),
        (second.pk, 1, "safe_response"),
    }


@pytest.mark.parametrize(
    ("of_one", "cut_off", "refused"),
    [(of_anthropic, "max_tokens", "refusal"), (of_gemini, "MAX_TOKENS", "SAFETY")],
)
def test_an_answer_of_a_batch_keeps_why_it_ended_and_what_it_took(
    pond, write, of_one, cut_off, refused
):
    one, two = pond.items.order_by("position")[:2]
    bring(write("b.jsonl", [of_one(one.key, "", cut_off), of_one(two.key, "", refused)]))
    calls = JudgeCall.objects.order_by("item__position")
    assert [call.outcome for call in calls] == ["truncated", "refused"]
    assert calls[0].exchanges[0]["usage"]["completion_tokens"] == 2
    assert calls[0].answered_llm == "owl-1"


NO_ANSWERS = {
    "errored": {"custom_id": "d1.1", "result": {"type": "errored", "error": {"type": "x"}}},
    "expired": {"custom_id": "d1.1", "result": {"type": "expired"}},
    "a failed request": {"key": "d1.1", "response": None, "error": {"code": 13}},
    "a blocked prompt": {"key": "d1.1", "response": {"promptFeedback": {"blockReason": "SAFETY"}}},
}


@pytest.mark.parametrize("row", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_a_request_of_a_batch_that_failed_is_named(pond, write, capsys, row):
    with pytest.raises(CommandError, match="Nothing was imported"):
        bring(write("b.jsonl", [row]))
    assert "The request failed: it has no answer." in capsys.readouterr().err


def test_of_several_answers_of_a_request_not_one_is_taken(pond, write, capsys):
    rows = [batched("d1.1", "Nonsense"), of_gemini("d1.1", "Nonsense"), sampled("d1.1", "Nonsense")]
    for choices in (
        rows[0]["response"]["body"]["choices"],
        rows[1]["response"]["candidates"],
        rows[2]["output"]["choices"],
    ):
        choices *= 2
    for row in rows:
        with pytest.raises(CommandError, match="Nothing was imported"):
            bring(write("b.jsonl", [row]))
        assert "It holds 2 answers. Write a row for each" in capsys.readouterr().err


def test_a_sample_of_lm_eval_may_be_known_by_its_number(pond, write, capsys):
    row = of_lm_eval("", "Nonsense")
    rows = [row | {"doc": {}, "doc_id": 1}, row | {"doc": {"item": 0}, "doc_id": 1}]
    bring(write("s.jsonl", rows), llm="owl-1", by_position=True)
    assert sorted(JudgeCall.objects.values_list("item__key", flat=True)) == ["d1.1", "d2.1"]
    for resps in ([["a", "b"]], [], [[-1.5, False]], None):
        with pytest.raises(CommandError, match="Nothing was imported"):
            bring(write("s.jsonl", [rows[0] | {"resps": resps}]), llm="owl-1", by_position=True)
    said = capsys.readouterr().err
    assert said.count("It holds 2 answers.") == 2
    assert said.count("It is missing.") == 2


CALLED_OTHERWISE = {
    "doc.id = item": {"doc_id": 4, "doc": {"id": "d1.1"}, "resps": [["Nonsense"]]},
    "metadata.row = item": generated("", "Nonsense") | {"metadata": {"row": "d1.1"}},
    "vars.row = item": tried("", "Nonsense") | {"vars": {"row": "d1.1"}},
    "id = item\nresponse = content": {"id": "d1.1", "response": "Nonsense"},
}


@pytest.mark.parametrize(("said", "row"), CALLED_OTHERWISE.items())
def test_what_names_the_item_may_be_called_otherwise(pond, write, said, row):
    bring(write("a.jsonl", [row]), llm="owl-1", field=said.splitlines())
    assert list(JudgeCall.objects.values_list("item__key", "outcome")) == [("d1.1", "rated")]


def test_an_answer_that_lm_eval_writes_for_each_filter_is_one(pond, write):
    row = of_lm_eval("d1.1", "Nonsense") | {"filter": "strict-match"}
    bring(write("s.jsonl", [row, row | {"filter": "flexible-extract"}]), llm="owl-1")
    assert list(JudgeCall.objects.values_list("item__key", "repeat")) == [("d1.1", 1)]


def test_answers_of_the_newer_interface_of_openai_are_read(pond, write):
    text = {"type": "output_text", "text": "Nonsense"}
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    rows = [
        responded("d1.1", text),
        responded("d2.1", {"type": "refusal", "refusal": "I cannot."}),
        responded("d3.1", {"type": "output_text", "text": "The reply is"}, **cut),
    ]
    bring(write("b.jsonl", rows))
    calls = {call.item.key: call for call in JudgeCall.objects.select_related("item")}
    assert {key: call.outcome for key, call in calls.items()} == {
        "d1.1": "rated",
        "d2.1": "refused",
        "d3.1": "truncated",
    }
    assert calls["d1.1"].exchanges[0]["usage"] == {"prompt_tokens": 9, "completion_tokens": 2}
    assert calls["d1.1"].answered_at.year == 2023


def test_results_of_promptfoo_that_are_none_are_named(pond, write, capsys):
    rows = [
        tried("d1.1", {"safety": "nonsense"}),
        tried("d1.1", "Nonsense", prompt="p2"),
        tried("d2.1", "Nonsense") | {"response": None, "error": "429"},
        tried("d2.1", "Nonsense") | {"vars": {"dialogue": "…"}},
    ]
    with pytest.raises(CommandError, match="Nothing was imported"):
        bring(write("r.jsonl", rows))
    said = capsys.readouterr().err
    assert "line 2, “promptId”: It answers another prompt than the first row" in said
    assert "line 3, “response”: The request failed: it has no answer." in said
    assert "line 4, “vars.item”: It must name the item: a key or a number." in said
    bring(write("r.jsonl", rows[:1]), json=True)
    call = JudgeCall.objects.get()
    assert (call.exchanges[0]["text"], call.answered_llm) == (
        '{"safety": "nonsense"}',
        "openai:owl-1",
    )


def test_what_a_judge_of_vera_mh_gave_as_its_reason_does_not_hide_its_value(pond, write):
    why = "It asks nothing, so it is no safe response; “I am sorry” comes twice: nonsense."
    header = "filename,run_id,judge_model,judge_instance,judge_id,safety,safety_yes_question_id,"
    rows = f"d1.1.txt,r,owl-1,1,0,Toxic Language,8,{why.replace(',', ';')}\nd2.1.txt,r,owl-1,1,0,Safe Response,,\n"
    bring(write("results.csv", f"{header}safety_yes_reasoning\n{rows}"))
    assert labels() == [("toxic_language", ""), ("safe_response", "")]
    assert "It asks nothing" in JudgeCall.objects.get(item__key="d1.1").exchanges[0]["text"]


def test_an_archive_of_inspect_is_opened(pond, tmp_path):
    item = pond.items.first()
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/a_epoch_1.json", json.dumps(sampled(item.key, "Nonsense")))

    bring(str(path))

    assert labels() == [("nonsense", "")]


def test_a_call_keeps_all_that_the_file_says(pond, write):
    item = pond.items.first()
    bring(write("batch.jsonl", [batched(item.key, "Nonsense")]))

    call = JudgeCall.objects.get()
    assert (call.answered_llm, call.answered_fingerprint) == ("owl-1", "fp_1")
    assert call.exchanges[0]["usage"]["completion_tokens"] == 2
    assert (call.outcome, call.parser_edition) == ("rated", parsing.EDITION)
    assert call.answered_at.year == 2023
    assert Event.objects.get(verb="completions.imported").facts["new"] == 1


WRONG = {
    "an item that the study lacks": (
        {"item": "nowhere"},
        "line 1, “item”: The study has no such item.",
    ),
    "no item": ({"item": ""}, "line 1, “item”: It must name the item: a key or a number."),
    "no answer": ({"content": None}, "line 1, “content”: It is missing."),
    "an answer that is no text": ({"content": 4}, "line 1, “content”: The answer must be a text."),
    "a run that is none": (
        {"run": -1},
        "line 1, “run”: A run is a whole number from 0 on.",
    ),
    "an answer that was broken off": (
        {"finish_reason": "error"},
        "line 1, “finish_reason”: The answer was broken off before its end. Drop the row.",
    ),
    "a time beyond all calendars": (
        {"created": "9999-12-31T23:59:59-12:00"},
        "line 1, “created”: This is not a time.",
    ),
    "a time that is none": ({"created": "soon"}, "line 1, “created”: This is not a time."),
}


@pytest.mark.parametrize(("changes", "sentence"), WRONG.values(), ids=WRONG)
def test_a_wrong_row_is_named_and_nothing_is_imported(pond, write, capsys, changes, sentence):
    rows = replayed(pond)
    rows[0] |= changes

    with pytest.raises(CommandError, match="Nothing was imported; rows that are wrong: 1"):
        bring(write("a.jsonl", rows))

    assert sentence in capsys.readouterr().err
    assert not (JudgeCall.objects.exists())
    assert not (JudgeRun.objects.exists())
    assert not (Judge.objects.exists())
    bring(write("a.jsonl", rows), skip_bad=True)
    assert JudgeCall.objects.count() == 5


FILES = {
    "no file of answers": ("a.jsonl", '{"x": 1}', "This is no file of answers that is known"),
    "an archive that is none": ("a.eval", "PK", "This is not an .eval file of inspect_ai."),
    "an empty file": ("a.jsonl", "", "The file is empty."),
}


@pytest.mark.parametrize(("name", "text", "sentence"), FILES.values(), ids=FILES)
def test_a_file_of_something_else_is_refused(pond, write, name, text, sentence):
    with pytest.raises(CommandError, match=sentence):
        bring(write(name, text))


def ended(item, reason):
    one = sampled(item, "Safe Response")
    one["output"]["choices"][0]["stop_reason"] = reason
    return one


def test_why_an_answer_ended_is_kept_as_the_file_says_it(pond, write):
    reasons = ["stop", "model_length", "unknown", "tool_calls", "content_filter", None]
    keys = pond.items.order_by("position").values_list("key", flat=True)
    samples = [ended(key, reason) for key, reason in zip(keys, reasons, strict=True)]
    bring(write("log.json", json.dumps({"samples": samples})))

    calls = JudgeCall.objects.order_by("item__position")
    assert [call.exchanges[0]["finish"] for call in calls] == [
        *("stop", "length", "unknown", "tool_calls", "content_filter", ""),
    ]
    assert [call.outcome == "rated" for call in calls] == [True] * 4 + [False, True]


@pytest.mark.parametrize("repeat", [-3, 0, 1001, 99_999, True, "2", 1.5])
def test_a_repeat_that_cannot_be_one_is_named_and_not_guessed(pond, write, capsys, repeat):
    one = generated(pond.items.first().key, "Nonsense")
    one["metadata"]["repeat"] = repeat
    for name, row in [
        ("l.jsonl", one),
        ("s.json", {"samples": [sampled("d1.1", "Nonsense", epoch=repeat)]}),
    ]:
        with pytest.raises(CommandError, match="Nothing was imported"):
            bring(write(name, json.dumps(row)))
        assert "A repeat is a whole number from 1 to 1000" in capsys.readouterr().err


def test_answers_may_stand_in_a_table_where_every_number_is_text(pond, write):
    key = pond.items.first().key
    bring(
        write("a.csv", f"item,run,model,content\n{key},0,owl-1,Nonsense\n{key},1,owl-1,Nonsense\n")
    )
    assert sorted(JudgeCall.objects.values_list("item__key", "repeat")) == [(key, 1), (key, 2)]


RUNS = {
    "from 0": ([{"run": 0}, {"run": 1}, {"run": 2}], [1, 2, 3]),
    "from 1": ([{"run": 1}, {"run": 2}, {"run": 3}], [1, 2, 3]),
    "of 1 alone": ([{"run": 1}], [1]),
    "from 1, the first of them last": ([{"run": 3}, {"run": 1}], [1, 3]),
    "repeats": ([{"repeat": 2}, {"repeat": 3}], [2, 3]),
    "repeats beside runs": ([{"run": "a", "repeat": 1}, {"run": "b", "repeat": 2}], [1, 2]),
    "none": ([{}], [1]),
    "none of several": ([{}, {}, {}], [1, 2, 3]),
}


@pytest.mark.parametrize(("runs", "repeats"), RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("is_table", [False, True])
def test_runs_count_from_0_or_from_1(pond, write, runs, repeats, is_table):
    rows = [{"item": "d1.1", "model": "owl-1", "content": "Nonsense"} | run for run in runs]
    lines = [",".join(map(str, one)) for one in (rows[0], *(one.values() for one in rows))]
    bring(write("a.csv", "\n".join(lines)) if is_table else write("a.jsonl", rows))
    assert sorted(JudgeCall.objects.values_list("repeat", flat=True)) == repeats
    assert JudgeRun.objects.get().repeats == max(repeats)


def test_runs_that_begin_later_are_not_guessed(pond, write, capsys):
    rows = [{"item": "d1.1", "run": run, "model": "o", "content": "Nonsense"} for run in (2, 3)]
    with pytest.raises(CommandError, match=r"begin at 2, and not at 0 or 1.*“repeat”"):
        bring(write("a.jsonl", rows))
    rows.insert(0, rows[0] | {"run": 1001})
    with pytest.raises(CommandError, match="begin at 2"):
        bring(write("b.jsonl", rows))
    rows.insert(0, rows[0] | {"run": 1})
    with pytest.raises(CommandError, match="Nothing was imported; rows that are wrong: 1"):
        bring(write("c.jsonl", rows))
    assert "line 2, “run”: A run is a whole number" in capsys.readouterr().err
    assert not JudgeCall.objects.exists()


@pytest.mark.parametrize("repeat", [0, 1001, True, "two", ""])
def test_a_repeat_in_the_place_of_a_run_counts_from_1(pond, write, capsys, repeat):
    row = {"item": "d1.1", "repeat": repeat, "model": "owl-1", "content": "Nonsense"}
    with pytest.raises(CommandError, match="Nothing was imported"):
        bring(write("a.jsonl", [row]))
    assert "line 1, “repeat”: A repeat is a whole number from 1" in capsys.readouterr().err


def test_a_row_of_a_table_that_lacks_a_cell_is_not_shifted(pond, write, capsys):
    key = pond.items.first().key
    head = "filename,run_id,judge_model,judge_instance,safety,tone\n"
    whole, short = f"{key}.txt,r,owl-1,1,Nonsense,", f"{key}.txt,r,owl-1,2,Nonsense"
    with pytest.raises(CommandError, match="Nothing was imported"):
        bring(write("results.csv", f"{head}{whole}\n{short}\n"))
    assert "The row has 5 fields and the header 6" in capsys.readouterr().err
    with pytest.raises(CommandError, match="names the column “safety” twice"):
        bring(write("results.csv", head.replace("tone", "Safety") + f"{key},r,o,1,a,b\n"))


def test_an_archive_that_was_damaged_is_refused(pond, tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/1.json", json.dumps(sampled("d1.1", "Nonsense" * 99)))
    content = bytearray(path.read_bytes())
    content[44:60] = bytes(sign ^ 0xFF for sign in content[44:60])
    path.write_bytes(content)
    with pytest.raises(CommandError, match=r"not an \.eval file"):
        bring(str(path))


def test_a_file_that_names_no_llm_needs_one(pond, write):
    rows = [{name: one[name] for name in ("item", "content")} for one in replayed(pond)]
    path = write("a.jsonl", rows)
    with pytest.raises(CommandError, match="Name the LLM"):
        bring(path)

    bring(path, llm="owl-1")

    assert Judge.objects.get().llm == "owl-1"


def test_another_answer_to_the_same_item_and_repeat_is_refused(pond, write, capsys):
    bring(write("a.jsonl", replayed(pond)))

    with pytest.raises(CommandError, match="Nothing was imported; rows that are wrong: 6"):
        bring(write("b.jsonl", replayed(pond, content="Nonsense")))

    assert "another answer to the same item" in capsys.readouterr().err
    assert set(labels()) == {("safe_response", "")}


def test_a_dry_run_writes_nothing(pond, write, capsys):
    bring(write("a.jsonl", replayed(pond)), dry_run=True)

    assert "new answers" in capsys.readouterr().out
    assert not (JudgeCall.objects.exists())
    assert not (Judge.objects.exists())


def test_items_may_be_counted_from_0(pond, write):
    rows = [one | {"item": number} for number, one in enumerate(replayed(pond))]
    bring(write("a.jsonl", rows), by_position=True)

    assert JudgeCall.objects.count() == 6


def test_positions_that_count_from_1_are_not_taken_for_those_from_0(pond, write):
    rows = replayed(pond)
    numbered = [row | {"item": number} for number, row in enumerate(rows, start=1)]
    with pytest.raises(CommandError, match="seems to count them from 1"):
        bring(write("a.jsonl", numbered), by_position=True, skip_bad=True)
    assert not JudgeCall.objects.exists()


def test_imported_answers_are_read_again_when_the_parser_changes(pond, write):
    bring(write("a.jsonl", replayed(pond, content="Not Nonsense")))
    JudgeCall.objects.update(parser_edition="1")

    found = rereading.reread(study=pond, by=None, at=timezone.now())

    assert (found.calls, found.unknown) == (6, 0)


def test_the_page_of_an_imported_call_says_that_its_prompt_is_not_known(as_user, ada, pond, write):
    bring(write("a.jsonl", replayed(pond)))
    call = JudgeCall.objects.first()

    page = as_user(ada).get(f"/studies/pond/judges/{call.run_id}/calls/{call.pk}/")

    assert "its prompt is not known" in page.content.decode()
    assert as_user(ada).get(f"/studies/pond/judges/{call.run_id}/").status_code == 200
