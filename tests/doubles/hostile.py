"""Pieces from which hostile text is put together: what a model, a document or a person might write to do harm."""

from __future__ import annotations

ALLOWED = "https://wiki.acme.example/leave?a=1&b=(2)"
"""The one address that is a cited source's."""

_LINES = r"""
<!here>
<!channel>
<!everyone>
<@U0ANN>
<#C0TEAM|general>
<!subteam^S1|@all>
<!date^1^{date}|x>
<https://evil.example|here>
<https://evil.example>
https://evil.example/?q=
www.evil.example
evil.example/x
[policy](https://evil.example)
![p](https://evil.example/p.png)
[a][b]
[b]: https://evil.example
](
[
]
[x](<https://evil.example>)
(https://evil.example)
https:/evil.example
HTTPS://EVIL.EXAMPLE
mailto:a@evil.example
&lt;!here&gt;
&amp;lt;
&#60;!here&#62;
&#x3C;
&
<
>
|
\
\\
`
``
```
~~~
*
_
**
~~
---
===
:
://
http
https
javascript:alert(1)
data:text/html,x
a@evil.example
<script>
<a href='https://evil.example'>x</a>
<!--
-->
<![CDATA[
@everyone
@here
@channel
<@123456789012345678>
<@&123456789012345678>
<a:x:123456789012345678>
<t:1:R>
#general
thirty days
a | b | c
word
.
,
é
日本
🙂
evil。example/a
"""
FRAGMENTS = (
    *_LINES.strip("\n").split("\n"),
    *(
        "# ",
        "- ",
        "1. ",
        "> ",
        "\n",
        "\r\n",
        "\u2028",
        "\t",
        " ",
        "    ",
        "\u202e",
        "\u200b",
        "\u2066",
        "\U000e0041",
        "\x00",
        "\x1b[31m",
    ),
    *(ALLOWED, f"[ok]({ALLOWED})", f"[ok]({ALLOWED}"),
)
