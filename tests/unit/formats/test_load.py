"""Loading and saving by suffix."""

from __future__ import annotations

import pytest

from kinetree.errors import FormatError
from kinetree.storage.load import load, save


def test_load_and_save(arm, tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text(arm, encoding="utf-8")
    model = load(path)
    save(model, tmp_path / "copy.yml")
    assert load(str(tmp_path / "copy.yml")).content_hash() == model.content_hash()
    save(model, path)
    assert path.read_text(encoding="utf-8") == arm


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "arm.txt",
            "'.txt' is not known; use .yaml, .yml, .urdf, .xml, .mjcf, .sdf or .mbs.",
        ),
        (
            "arm.xacro",
            "file 'arm.xacro': it is a macro file; expand it with xacro to a .urdf first.",
        ),
        ("arn.yaml", "there is no such file; did you mean 'arm.yaml'?"),
    ],
)
def test_files_that_cannot_be_loaded(arm, tmp_path, name, words):
    (tmp_path / "arm.yaml").write_text(arm, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        load(tmp_path / name)
    assert words in str(caught.value)


def test_a_missing_folder(tmp_path):
    with pytest.raises(FormatError, match="there is no such file; there is no model file yet"):
        load(tmp_path / "nowhere" / "arm.yaml")


def test_sdf_is_read_and_not_written(arm, tmp_path):
    (tmp_path / "arm.yaml").write_text(arm, encoding="utf-8")
    with pytest.raises(FormatError, match=r"'.sdf' is not known; use .yaml, .yml, .urdf, .xml or"):
        save(load(tmp_path / "arm.yaml"), tmp_path / "arm.sdf")


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "arm.yaml").write_bytes(b"name: \xff\xfe")
    with pytest.raises(FormatError, match=r"file 'arm.yaml': it is not UTF-8 text"):
        load(tmp_path / "arm.yaml")


def test_a_model_file_cannot_be_made_to_float(arm, tmp_path):
    (tmp_path / "arm.yaml").write_text(arm, encoding="utf-8")
    with pytest.raises(FormatError, match="it says itself what floats; use a free joint"):
        load(tmp_path / "arm.yaml", floating=True)


def test_errors_name_the_file(tmp_path):
    (tmp_path / "arm.yaml").write_text("a: [", encoding="utf-8")
    with pytest.raises(FormatError, match=r"file 'arm.yaml', line 1"):
        load(tmp_path / "arm.yaml")
