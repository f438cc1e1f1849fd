"""The dashboard, the alerts and their page speak of the metrics there are, and of all of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from bot.run.operations.metrics import Metrics
from pipeline.values import Usage, Vote
from storage.messages.levels import StorageLevels
from tests.contracts.answers import cited

FOLDER = Path(__file__).parents[4] / "docs" / "operations"
needs_promtool = pytest.mark.skipif(
    not shutil.which("promtool"), reason="there is no promtool: apt-get install prometheus"
)


def page() -> bytes:
    """A page on which every metric has a value."""
    metrics = Metrics(["slack"], [], price_input=0.0, price_output=0.0)
    metrics.observe("slack", cited("Thirty days.", usage=Usage(milliseconds={"plan": 1.0, "total": 1.0})))
    levels = StorageLevels(
        waiting=0, oldest_waiting_at=None, given_up=0, documents=0, passages=0, newest_document_at=None
    )
    jobs = {"backup": datetime.now(UTC)}
    metrics.update_gauges(levels, dict.fromkeys(Vote, 0), jobs, {"slack": True}, now=0.0, healthy=True)
    return metrics.render()


def families() -> set[str]:
    found = text_string_to_metric_families(page().decode())
    return {one.name + "_total" * (one.type == "counter") for one in found}


def samples() -> set[str]:
    return {sample.name for one in text_string_to_metric_families(page().decode()) for sample in one.samples}


def named(text: str) -> set[str]:
    return set(re.findall(r"\b(?:citewell|process)_[a-z_]+\b", text))


def expressions() -> list[str]:
    """What the dashboard and the alerts compute."""
    dashboard: Any = json.loads((FOLDER / "grafana.json").read_text())
    rules: Any = yaml.safe_load((FOLDER / "alerts.yml").read_text())
    return [
        *(target["expr"] for panel in dashboard["panels"] for target in panel["targets"]),
        *(rule["expr"] for group in rules["groups"] for rule in group["rules"]),
    ]


def test_the_dashboard_and_the_alerts_use_metrics_that_there_are() -> None:
    assert len(expressions()) > 20
    assert named("\n".join(expressions())) - samples() == set()


def test_every_metric_is_documented_and_no_other() -> None:
    ours = {name for name in families() if name.startswith("citewell_")}
    documented = {name for name in named((FOLDER / "metrics.md").read_text()) if name.startswith("citewell_")}
    assert documented == ours


@needs_promtool
def test_promtool_accepts_the_alerts_and_what_the_dashboard_computes(tmp_path: Path) -> None:
    recorded = [
        {"record": f"panel:{number}", "expr": re.sub(r"\$__rate_interval", "5m", one).replace("$job", ".*")}
        for number, one in enumerate(expressions())
    ]
    (tmp_path / "panels.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": recorded}]}))
    for file in (FOLDER / "alerts.yml", tmp_path / "panels.yml"):
        checked = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout + checked.stderr


@needs_promtool
def test_promtool_finds_nothing_wrong_with_the_metrics() -> None:
    checked = subprocess.run(["promtool", "check", "metrics"], input=page(), capture_output=True, check=False)
    assert checked.returncode == 0, checked.stderr.decode()


BAD = {
    "CitewellDown": {'up{job="citewell"}': "0x100"},
    "CitewellUnhealthy": {"citewell_healthy": "0x100"},
    "CitewellPlatformNotConnected": {'citewell_platform_connected{platform="slack"}': "0x100"},
    "CitewellQuestionsWait": {"citewell_queue_oldest_seconds": "301x100"},
    "CitewellQuestionsGivenUp": {"citewell_questions_given_up": "1x100"},
    "CitewellAnswersFail": {
        'citewell_answers_total{outcome="failed"}': "0+1x100",
        'citewell_answers_total{outcome="answered"}': "0+9x100",
    },
    "CitewellModelFails": {
        'citewell_model_failures_total{reason="too_late"}': "0+3x100",
        'citewell_answers_total{outcome="answered"}': "0+9x100",
    },
    "CitewellSlow": {
        'citewell_answer_seconds_bucket{le="10.0"}': "0+1x100",
        'citewell_answer_seconds_bucket{le="30.0"}': "0+9x100",
        'citewell_answer_seconds_bucket{le="+Inf"}': "0+9x100",
    },
    "CitewellBackupOld": {'citewell_job_succeeded_timestamp_seconds{name="backup"}': "-172800x100"},
    "CitewellNothingIndexed": {"citewell_index_documents": "0x100"},
}
"""What each alert is about, as promtool writes a series a minute."""
WELL = {
    'up{job="citewell"}': "1x100",
    "citewell_healthy": "1x100",
    'citewell_platform_connected{platform="slack"}': "1x100",
    "citewell_queue_oldest_seconds": "20x100",
    "citewell_questions_given_up": "0x100",
    'citewell_answers_total{outcome="failed"}': "0x100",
    'citewell_answers_total{outcome="answered"}': "0+9x100",
    'citewell_model_failures_total{reason="too_late"}': "0x100",
    'citewell_answer_seconds_bucket{le="10.0"}': "0+9x100",
    'citewell_answer_seconds_bucket{le="+Inf"}': "0+9x100",
    'citewell_job_succeeded_timestamp_seconds{name="backup"}': "0x100",
    "citewell_index_documents": "2x100",
}


@needs_promtool
@pytest.mark.parametrize("alert", ["", *BAD])
def test_an_alert_is_raised_by_what_it_is_about_and_by_nothing_else(alert: str, tmp_path: Path) -> None:
    series = WELL | BAD.get(alert, {})
    names = [
        rule["alert"]
        for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
        for rule in group["rules"]
    ]
    assert set(names) == set(BAD)
    raised = {name: f'count(ALERTS{{alertname="{name}",alertstate="firing"}})' for name in names}
    samples = {name: [{"labels": "{}", "value": 1}] if name == alert else [] for name in names}
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [
            {"expr": expression, "eval_time": "90m", "exp_samples": samples[name]}
            for name, expression in raised.items()
        ],
    }
    (tmp_path / "test.yml").write_text(
        yaml.safe_dump({"rule_files": [str(FOLDER / "alerts.yml")], "evaluation_interval": "1m", "tests": [test]})
    )
    checked = subprocess.run(
        ["promtool", "test", "rules", tmp_path / "test.yml"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
