import pytest
from pathspec import GitIgnoreSpec

from shapecheck.config import ConfigError, _lies_elsewhere, find_settings, selected_codes
from shapecheck.rules.catalogue import codes_matching, default_codes


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(table, folder="."):
        path = tmp_path / folder
        path.mkdir(parents=True, exist_ok=True)
        (path / "pyproject.toml").write_text(table)
        return find_settings([str(path)])

    return write


def test_without_a_table_the_defaults_hold(project, tmp_path):
    settings = project('[project]\nname = "x"\n')
    assert settings.source is None
    assert settings.codes == default_codes()
    assert settings.root == str(tmp_path)


def test_the_nearest_table_counts(project, tmp_path):
    project('[tool.shapecheck]\nselect = ["SC2"]\n')
    project("[tool.other]\n# no shapecheck here\n", "pkg")
    settings = find_settings([str(tmp_path / "pkg" / "sub" / "a.py"), str(tmp_path / "pkg" / "b.py")])
    assert settings.source == str(tmp_path / "pyproject.toml")
    assert {code for code in settings.codes if code > "SC1"} == codes_matching("SC2")


def test_a_path_elsewhere_does_not_lose_the_settings_of_the_working_directory(project, tmp_path, monkeypatch):
    project('[tool.shapecheck]\nexclude = ["gen/"]\n', "mine")
    elsewhere = tmp_path / "other" / "a.py"
    monkeypatch.chdir(tmp_path / "mine")
    assert find_settings(["sub", str(elsewhere)]).source == str(tmp_path / "mine" / "pyproject.toml")
    assert find_settings([str(elsewhere)]).source is None


def test_every_setting(project, tmp_path):
    settings = project(
        """
        [tool.shapecheck]
        exclude = ["gen/"]
        ignore = ["SC302", "scrambled-reshape"]
        baseline = "known.json"
        jobs = 3
        [tool.shapecheck.per-file-ignores]
        "tests/**" = ["SC203"]
        """
    )
    assert settings.exclude == ("gen/",)
    assert settings.codes == default_codes() - {"SC301", "SC302"}
    assert settings.baseline == str(tmp_path / "known.json")
    assert settings.jobs == 3
    assert "SC203" not in settings.active("tests/a/b.py")
    assert "SC203" in settings.active("src/a.py")


def test_rules_are_taken_in_any_spelling(project):
    assert project('[tool.shapecheck]\nselect = ["sc102", " Rank "]\n').codes == {"SC000", "SC001", "SC102", "SC204"}
    assert project("[tool.shapecheck]\nignore = []\n").codes == default_codes()


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("excludes = []", "no setting 'excludes'; did you mean exclude"),
        ("colour = true", "no setting 'colour'; there are axes, baseline"),
        ('exclude = "gen"', "exclude must be a list of strings"),
        ("select = []", "select is empty, so nothing would be reported"),
        ('select = [""]', "an empty string names no rule"),
        ('ignore = [" "]', "an empty string names no rule"),
        ('per-file-ignores = {"a" = [""]}', "an empty string names no rule"),
        ("select = [1]", "select must be a list of strings"),
        ('select = ["SC9"]', "no rule is called 'SC9'"),
        ('ignore = ["rnak"]', "did you mean rank"),
        ("baseline = 1", "baseline must be a string"),
        ("jobs = true", "jobs must be a whole number"),
        ("jobs = -1", "jobs must be a whole number"),
        ("per-file-ignores = 1", "per-file-ignores must be a table"),
        ('per-file-ignores = {"a" = "SC203"}', "a must be a list of strings"),
    ],
)
def test_mistakes_name_the_file_and_the_key(project, tmp_path, table, says):
    with pytest.raises(ConfigError, match=says) as caught:
        project(f"[tool.shapecheck]\n{table}\n")
    assert str(tmp_path / "pyproject.toml") in str(caught.value)


def test_a_broken_file_is_a_mistake(project):
    with pytest.raises(ConfigError, match="is not TOML"):
        project("[tool.shapecheck\n")
    with pytest.raises(ConfigError, match=r"tool\.shapecheck must be a table"):
        project("[tool]\nshapecheck = 1\n")


def test_an_unreadable_file_is_reported_whatever_is_selected():
    assert selected_codes(["SC301"], []) == {"SC000", "SC001", "SC301"}
    assert selected_codes(["SC301"], ["SC001"]) == {"SC000", "SC301"}


@pytest.mark.parametrize(
    "pattern",
    ["tests/runtime/**", "tests/", "/tests", "tests/runtime", "tests/run*", "**/runtime", "a?/b", "!tests/runtime/x.py",
     "tests/[rs]untime/*.py", "*.py", "/tests/runtime/x.py", "runtime/x.py", "tests/run\\time/x.py", "x.py/",
     "tests/*/x.py"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["tests/runtime/x.py", "tests/x.py", "a1/b/c.py", "runtime/x.py", "x.py"])
def test_a_folder_that_cannot_match_is_told_without_pathspec(pattern, path):
    if _lies_elsewhere(pattern, path):
        assert not GitIgnoreSpec.from_lines([pattern]).match_file(path)


def test_the_vocabulary_maps_every_spelling_to_its_axis(project):
    settings = project('[tool.shapecheck.axes]\nb = ["B", "batch"]\nt = ["t", "T"]\n')
    assert settings.axes == {"b": "b", "B": "b", "batch": "b", "t": "t", "T": "t"}
    assert project("[tool.shapecheck]\n").axes == {}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('axes = ["b"]', 'axes must be a table of axis = ["spelling", ...]'),
        ('axes.b = "B"', "axes.b must be a list of strings"),
        ("axes.b = [1]", "axes.b must be a list of strings"),
        ('axes.b = ["n b"]', "axes.b: 'n b' cannot be the name of an axis"),
        ('axes.b = ["*b"]', "axes.b: '*b' cannot be the name of an axis"),
        ('axes."3d" = ["d"]', "axes.3d: '3d' cannot be the name of an axis"),
        ('axes.b = ["N"]\naxes.n = ["N"]', "axes.n: 'N' already stands for the axis 'b'"),
        ('axes.b = ["n"]\naxes.n = ["N"]', "axes.n: 'n' already stands for the axis 'b'"),
    ],
)
def test_a_wrong_vocabulary_names_file_and_key(project, tmp_path, table, said):
    with pytest.raises(ConfigError) as caught:
        project(f"[tool.shapecheck]\n{table}\n")
    assert str(caught.value).startswith(f"{tmp_path / 'pyproject.toml'}: {said}")
    assert "\n" not in str(caught.value)
