from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_each_module_has_a_file_of_tests():
    modules = (ROOT / "src" / "stock").glob("[a-z]*.py")
    assert [each.name for each in modules if not (ROOT / "tests" / f"test_{each.name}").exists()] == []
