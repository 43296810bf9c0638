"""How results of single tests reach andon: a reporter inside the sandbox, a reader outside, a secret between them.

The secret is read and removed before any code of the tree is loaded. Every record is numbered and signed with it, so
that whoever writes into the channel without it is noticed. What has the reporter's own process in its hands could still
look for the secret there; tripwires and the other layers are for that. They are also for runners of JavaScript: what
vitest and jest load as their settings is loaded before reporters, and the processes that tests run in tell the runner's
own process what came of them in a format that anybody can write.
"""
