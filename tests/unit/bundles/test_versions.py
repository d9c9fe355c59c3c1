"""Version check: patterns, coercion, ranges, limits."""

from __future__ import annotations

import pytest

from atip.bundles.versions import judge_version, version_mismatch
from atip.codecs.climd.manifest import VersionCheck, read_manifest
from atip.errors import FormatError
from atip.model.text.version_ranges import check_range, coerce_version, in_range
from tests.simulators.bundle_host import MANIFEST


def check(parse=r"v?(\d\S*)", range=">=2.40 <3"):
    return VersionCheck(cmd="x --version", parse=parse, range=range)


@pytest.mark.proves("AIP29-VERSION-01", "AIP29-VERSION-03", "AIP29-VERSION-04")
@pytest.mark.parametrize(
    ("parse", "output", "range", "version"),
    [
        (r"gh version (\S+)", "gh version 2.40.1 (2024-01-01)\n", ">=2.40 <3", "2.40.1"),
        (r"(?<major>\d+)\.\d+", "ver 7.1", "*", "7.0.0"),
        (r"(?:a|b) (\S+)", "b 5.1.6-0+deb12u1", ">=5.1.6", "5.1.6"),
        (r"version (\S+)", "ffmpeg version n6.0 Copyright", ">=4.4", "6.0.0"),
        (r"(x)?(\d+\.\d+)", "1.10", "1.x", "1.10.0"),
        (r"v(\S+)", "v3.0.0-rc.1", ">=3.0.0-rc.0", "3.0.0-rc.1"),
    ],
)
def test_version_is_read_and_in_range(parse, output, range, version):
    finding = judge_version(check(parse, range), output, 0)
    assert (finding.ok, finding.version) == (True, version)


@pytest.mark.proves("AIP29-VERSION-02", "AIP29-VERSION-08")
@pytest.mark.parametrize(
    ("output", "code"),
    [("v2.39.9", 0), ("v3.0.0", 0), ("v2.41", 1), ("nothing", 0), ("v2.41", 124)],
)
def test_other_answers_will_not_do(output, code):
    finding = judge_version(check(), output, code)
    assert not finding.ok and finding.reason
    error = version_mismatch("gh@1", finding)
    assert error.code == "version_mismatch" and error.details["range"] == ">=2.40 <3"


@pytest.mark.parametrize("parse", [r"(a)\1", r"(?=x)(y)", "(", r"(?<!a)(b)"])
def test_pattern_that_cannot_run_in_linear_time_is_refused(parse):
    with pytest.raises(FormatError):
        judge_version(check(parse), "x", 0)


@pytest.mark.parametrize("text", ["=>1", "garbage!!", "x" * 300, ">=a.b"])
def test_range_that_is_none_is_refused(text):
    with pytest.raises(FormatError):
        check_range(text)


def test_prereleases_stay_out_of_plain_ranges():
    assert coerce_version("3.0.0-rc.1") == "3.0.0-rc.1"
    assert not in_range("3.0.0-rc.1", ">=2 <3.1")
    assert coerce_version("no digits") is None


@pytest.mark.proves("AIP29-VERSION-05")
def test_time_limit_is_five_seconds_unless_told():
    assert read_manifest(MANIFEST).version_check.timeout_s == 5.0
    told = {**MANIFEST["version_check"], "timeout_ms": 800}
    assert read_manifest({**MANIFEST, "version_check": told}).version_check.timeout_s == 0.8
