"""The one place where andon starts processes: short commands (`run`), a person's shell (`foreground`), and agents and
checks that outlive the orchestrator (`supervise`). It knows nothing about what they do.

A supervised process has a folder of its own, on a local disk (flock is not handed on over NFS), and is started at most
once at a time in it, whoever asks. The folder is the whole protocol between orchestrator and supervisor:

lock             held exclusively, by a supervisor from before it exists: it is alive. Free: nothing of it runs.
exit.json        the record of the end, written last, whole and synced, before the lock falls: it has finished.
command.json     what to run within which bounds; `stdin` beside it is the input. Replaced whole at each start.
starts           one synced line before each start.
stdout, stderr   the beginning of each output, up to `Bounds.output_bytes`; complete unless the record says truncated.
lease            every orchestrator that waits holds it shared; held by nobody for `Bounds.lease_seconds`: the end.
cancel           it exists: the end has been asked for, for good.
supervisor.pid   whom to signal so that it looks at `cancel` now.
supervisor.error why a supervisor failed itself. There is no record then.
exit.tmp         room for the record, taken at the start so that a full disk cannot prevent it.

Neither a lock nor a record: never started, or the supervisor was killed. Nothing runs then, because the lock falls only
after the whole process tree has gone; but the files it worked on may be half written, so whoever starts it again has to
put them back first. A supervisor that is killed while somebody waits for it therefore ends as `lost`, on record. (What
even KILL cannot end, such as a setuid program or a process stuck in a dead mount, is given up after half a minute and
named in the record.) Linux only: /proc, prctl, pidfd.
"""

from andon.ports import Bounds, Command, Exit
from andon.processes.foreground import foreground
from andon.processes.run import Finished, run
from andon.processes.supervised import (
    alive,
    cancel,
    cancelled,
    complaint,
    finished,
    numbered,
    rewrite,
    starts,
    supervise,
)
from andon.processes.toolchain import readable_for

__all__ = [
    "Bounds",
    "Command",
    "Exit",
    "Finished",
    "alive",
    "cancel",
    "cancelled",
    "complaint",
    "finished",
    "foreground",
    "numbered",
    "readable_for",
    "rewrite",
    "run",
    "starts",
    "supervise",
]
