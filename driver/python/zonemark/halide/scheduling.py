"""The parameter ``schedule``, which all shipped generators have."""

import halide as hl


class Scheduled:
    """The base class of a generator that has a manual schedule."""

    schedule = hl.GeneratorParam("manual")

    def by_hand(self) -> bool:
        """Whether the manual schedule is to be applied: ``schedule`` is ``manual``, and there is no autoscheduler."""
        if self.schedule not in ("manual", "none"):
            raise ValueError(f"schedule={self.schedule}: there are manual and none")
        return self.schedule == "manual" and not self.using_autoscheduler()

    def by_default(self) -> bool:
        """Whether Halide's default schedule stays: there is neither a manual schedule nor an autoscheduler.

        A program that wants a generator without its own schedule may let ``using_autoscheduler`` say so without naming one.
        """
        return not self.by_hand() and not self.autoscheduler().name


def by_rows(output, x, y, lanes, edged=None):
    """Schedules an image: tasks of 32 rows, vectors along a row. Returns the loop over the rows of a task.

    A task first copies the rows that it reads of an image with edges, so that the inner loops need not ask what is outside. Lanes are those
    of a vector of bytes, also where values have 16 bits: Hexagon narrows pairs of vectors only.
    """
    task, row = hl.Var("task"), hl.Var("row")
    output.split(y, task, row, 32).parallel(task).vectorize(x, lanes)
    if edged is not None:
        edged.compute_at(output, task).vectorize(edged.args()[0], lanes)
    return row
