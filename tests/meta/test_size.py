"""The budgets of `make size` see what they are meant to see."""

from __future__ import annotations

import runpy
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

SIZE: dict[str, Any] = runpy.run_path(
    str(Path(__file__).resolve().parents[2] / "tools" / "size.py")
)


def over_budget(folder: Path, **texts: str) -> list[str]:
    """What is over budget in a package of these modules."""
    for name, text in texts.items():
        file = folder / f"{name.replace('__', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
    return list(SIZE["over_budget"](SIZE["survey"](folder)))


def fields(n: int) -> str:
    return "class Many:\n" + "".join(f"    x{i}: int\n" for i in range(n))


def test_fields_of_a_class_are_counted(tmp_path: Path) -> None:
    assert over_budget(tmp_path, data=fields(12)) == []
    assert over_budget(tmp_path, data=fields(13)) == ["attributes of Many: 13, budget 12 (data.py)"]


def test_names_given_to_self_anywhere_are_counted_once(tmp_path: Path) -> None:
    first = ", ".join(f"self.a{i}" for i in range(7))
    later = ", ".join(f"self.a{i}" for i in range(6, 13))
    text = "class Big:\n    a0: int\n    K: ClassVar[int] = 1\n"
    text += f"    def f(self):\n        {first} = g()\n"
    assert over_budget(tmp_path, big=text) == []
    text += f"    def g(self):\n        for {later} in h():\n            pass\n"
    assert over_budget(tmp_path, big=text) == ["attributes of Big: 13, budget 12 (big.py)"]


BASE = """
    class Base(ABC):
        def __init__(self): self.x = 1
        @abstractmethod
        def must(self): return 0
        def may(self):
            \"\"\"Left to those that derive from it.\"\"\"
        def refuses(self): raise NotImplementedError
        def works(self): return 1
    class Talks(Protocol):
        def speak(self): return ""
"""
HOOKS = """
    from kinetree.base import Base, Talks
    class Fine(Base, Talks):
        def __init__(self): self.y = 2
        def must(self): return 1
        def may(self): return 2
        def refuses(self): return 3
        def speak(self): return "a"
        def more(self): return self.works()
"""


def test_hooks_may_be_filled_in(tmp_path: Path) -> None:
    assert over_budget(tmp_path, base=BASE, fine=HOOKS) == []


@pytest.mark.parametrize("module", ["kinetree.base", "kinetree"])
def test_a_method_that_works_is_not_replaced(tmp_path: Path, module: str) -> None:
    middle = f"from {module} import Base\nclass Middle(Base): pass\n"
    wrong = (
        "from kinetree.middle import Middle\nclass Wrong(Middle):\n    def works(self): return 2\n"
    )
    found = over_budget(tmp_path, base=BASE, middle=middle, wrong=wrong)
    assert found == ["overrides of Base: 1, budget 0 (base.py: Wrong.works)"]


def test_classes_of_one_name_are_told_apart(tmp_path: Path) -> None:
    other = "class Base:\n    def other(self): return 1\n"
    fine = "from kinetree.base import Base\nclass Fine(Base):\n    def other(self): return 2\n"
    assert over_budget(tmp_path, base=BASE, elsewhere=other, fine=fine) == []


def test_modules_of_a_level_are_counted_without_its_door(tmp_path: Path) -> None:
    level = {f"room__m{i}": "" for i in range(20)} | {"room____init__": "", "room__inner__m": ""}
    assert over_budget(tmp_path, **level) == []
    assert over_budget(tmp_path, room__m20="") == ["modules of room: 21, budget 20"]


def test_a_reason_stands_for_one_row() -> None:
    rows = ["attributes of A: 13, budget 12 (a.py)", "modules of b: 21, budget 20"]
    assert SIZE["unexplained"](rows, {"attributes of A:": "why", "modules of b:": "why"}) == []
    assert SIZE["unexplained"](rows, {"attributes of A:": "why"}) == rows[1:]
    (idle,) = SIZE["unexplained"](rows[:1], {"attributes of A:": "why", "modules of b:": "why"})
    assert "'modules of b:' stands for 0 rows" in idle
    (wide,) = SIZE["unexplained"]([*rows[:1], *rows[:1]], {"attributes of A:": "why"})
    assert "stands for 2 rows" in wide
