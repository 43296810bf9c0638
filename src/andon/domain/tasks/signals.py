"""Words by which a task's text says what it wants, in English and Korean, and its main verb among them (D-04).

Kinds of words, not examples: what follows from them is choice.py's to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from andon.domain.language import HANGUL, Language, detect


class Word(StrEnum):
    ASK = "ask"
    """Wants an answer: an explanation, a comparison, a review, research."""
    MEND = "mend"
    """Only what exists can be fixed, refactored, upgraded."""
    CHANGE = "change"
    """Usually about what exists: add, update, remove."""
    AUTOMATE = "automate"
    """Moves data or tells somebody, without a person: send, back up, synchronise, deploy."""
    MAKE = "make"


class Mark(StrEnum):
    EXISTING = "existing"
    FRESH = "fresh"
    CADENCE = "cadence"
    EVENT = "event"
    SERVICES = "services"
    AUTOMATION = "automation"
    APPLICATION = "application"
    SNIPPET = "snippet"
    INQUIRY = "inquiry"
    DEFINITE = "definite"
    """Speaks of a thing that both sides know: the list, our page."""


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_NOT_HANGUL_AFTER = rf"(?![{HANGUL}])"
_ENGLISH: tuple[tuple[Word, re.Pattern[str]], ...] = tuple(
    (word, _compiled(rf"(?<![\w-])(?:{pattern})(?![\w-])"))
    for word, pattern in (
        (
            Word.ASK,
            r"explain|describe|compare|review|research|investigate|recommend|summari[sz]e|teach|tell me"
            r"|show me how|clarify"
            r"|evaluate|assess|audit|analy[sz]e|debug|look up|find (?:out|the best|best|good)|answer|discuss"
            r"|understand",
        ),
        (
            Word.MEND,
            r"fix|repair|refactor|upgrade|rename|optimi[sz]e|rewrite|modify|port|migrate|correct|solve|patch"
            r"|modernise|modernize",
        ),
        (
            Word.CHANGE,
            r"add|update|remove|delete|drop|change|improve|extend|replace|convert|enable|disable|integrate"
            r"|adjust|speed up"
            r"|increase|reduce|move|support",
        ),
        (
            Word.AUTOMATE,
            r"send|notify|alert|back ?up|sync|synchroni[sz]e|deploy|monitor|automate|schedule|trigger|post"
            r"|publish|forward"
            r"|archive|collect|watch|remind|copy|import|export|pull|push|fetch|e-?mail (?:me|us|them|the|a)",
        ),
        (Word.MAKE, r"create|build|make|develop|implement|write|generate|design|set ?up|start|produce|prototype"),
    )
)  # fmt: skip
_KOREAN: tuple[tuple[Word, re.Pattern[str]], ...] = tuple(
    (word, _compiled(pattern))
    for word, pattern in (
        (
            Word.ASK,
            r"설명|비교|검토|리뷰|조사|연구|추천|알려|궁금|분석해|찾아|가르쳐|요약|디버깅|이해",
        ),
        (Word.MEND, r"수정|고쳐|고치|리팩토링|리팩터링|업그레이드|최적화|마이그레이션|해결|이전하|바로잡"),
        (Word.CHANGE, r"추가|업데이트|제거|삭제|변경|개선|바꾸|바꿔|교체|전환|확장|넣어|넣기|적용|지원"),
        (
            Word.AUTOMATE,
            r"전송|알림|백업|동기화|배포|모니터링|자동화|수집|게시|발송|보내|통지|감시|전달|내보내|연동|통합|실행",
        ),
        (Word.MAKE, r"만들|생성|개발|구축|제작|구현|작성|짜\s?줘|짜기|설계"),
    )
)

_SERVICE = (
    r"slack|discord|telegram|teams|github|gitlab|bitbucket|jira|linear|trello|asana|notion|confluence|airtable"
    r"|stripe|paypal"
    r"|shopify|salesforce|hubspot|zendesk|intercom|mailchimp|sendgrid|twilio|gmail|google (?:sheets?|drive"
    r"|calendar)|s3|gcs|aws"
    r"|azure|dropbox|zapier|sentry|pagerduty|datadog|e-?mail|sms|rss|webhooks?|database|postgres(?:ql)?|mysql"
    r"|mongodb|redis"
    r"|bigquery|snowflake|데이터베이스|슬랙|깃허브|이메일|노션|문자"
)
_THING = (
    r"(?:app(?:lication)?s?|code(?: ?base)?|repo(?:sitory)?|projects?|(?:web ?)?sites?|blog|api|services?|server"
    r"|backend"
    r"|front ?end|page|pages|module|package|library|tool|program|script|pipeline|product|login|checkout|dashboard)"
)
MARKS: tuple[tuple[Mark, re.Pattern[str]], ...] = tuple(
    (mark, _compiled(pattern))
    for mark, pattern in (
        (
            Mark.EXISTING,
            rf"\b(?:existing|legacy|already (?:have|built|running)|code ?base (?:is )?(?:supplied|provided"
            rf"|attached))\b"
            rf"|\b(?:current|present) (?:[\w-]+ ){{0,2}}{_THING}\b"
            rf"|(?<!for )(?<!for a )\b(?:my|our|this|these) (?:[\w.-]+ ){{0,2}}{_THING}\b|기존|레거시|현재 (?:앱"
            rf"|코드|서비스|프로젝트)"
            rf"|(?:내|우리|저희|이) (?:[\w.-]+ ){{0,2}}(?:앱|애플리케이션|코드베이스|저장소|프로젝트|사이트"
            rf"|서비스|블로그)(?:에|의|을|를|이|은)",
        ),
        (
            Mark.FRESH,
            r"\bfrom scratch\b|\b(?:brand[- ])?new (?:[\w-]+ ){0,2}(?:app|application|project|product|site"
            r"|website|service)\b"
            r"|\bgreenfield\b|\bblank slate\b|\bcomplete application\b|\b(?:full|whole"
            r"|complete) planning and design\b"
            r"|\bcomprehensive documents?(?:ation)?\b|처음부터|빈 슬레이트|(?:새|새로운|신규) (?:\w+ )?(?:앱"
            r"|애플리케이션|서비스|프로젝트)"
            r"|전체 기획|완전한 애플리케이션|포괄적인 문서",
        ),
        (
            Mark.CADENCE,
            r"\b(?:daily|weekly|monthly|hourly|nightly|yearly|cron|periodic(?:ally)?|schedul(?:e|ed|es)|recurring)\b"
            r"|\bevery (?:\d+ )?(?:other )?(?:second|minute|hour|day|night|week|month|year|morning|evening"
            r"|weekday|monday|tuesday"
            r"|wednesday|thursday|friday|saturday|sunday)s?\b|\b(?:each|once a) (?:day|week|month|hour|night"
            r"|morning)\b"
            r"|매일|매주|매월|매달|매시간|매년|매\s?\d|일일|주간|월간|정기|주기적|스케줄|크론|예약된"
            r"|(?<=\d)(?:분|시간|일)마다|(?:아침|저녁|밤)마다",
        ),
        (
            Mark.EVENT,
            r"\bwhen(?:ever)? (?:an?|the|any|some(?:one|body)|new|my|our)\b|\bon (?:every |each |any |a "
            r"|new )*(?:push|merge|commit"
            r"|release|pull request|pr|deploy|upload|signup|sign-up|failure|downtime|error|order|event)(?:es|s)?\b"
            r"|\b(?:event|trigger)[- ](?:driven|based)\b|\bas soon as\b|\bafter (?:every|each)\b|\bonce (?:an?"
            r"|the) \w+ (?:is|are)\b"
            rf"|(?:되|하|오|나|생기|들어오|올라오)면{_NOT_HANGUL_AFTER}|[\w{HANGUL}] 시(?:에|마다)?(?=[ ,])"
            rf"|때마다|(?:이벤트|트리거) 기반",
        ),
        (
            Mark.AUTOMATION,
            r"\b(?:automat(?:ion|ed|ic|ically|e)|workflow|back-?ups?|(?:re)?synchroni[sz]ation|sync|(?:uptime"
            r"|health) monitoring"
            r"|monitoring|alert(?:s|ing)?|notifications?|notices?|reminders?|deployments?|external services?"
            r"|unattended|bots?)\b"
            r"|자동|백업|동기화|모니터링|외부 서비스|워크플로우|봇",
        ),
        (
            Mark.APPLICATION,
            r"\b(?:(?:web |mobile |desktop )?app(?:lication)?s?|web ?sites?|sites?|platform|(?:rest |graphql "
            r"|web )?api|web ?page"
            r"|landing page|home ?page|portal|cli|command[- ]line (?:tool|program)|tool|game|dashboard"
            r"|store(?:front)?|shop|saas"
            r"|marketplace|service|server|library|sdk|framework|backend|front ?end|extension|plugin|blog|forum"
            r"|clone|program"
            r"|system|editor|calculator|chatbot|prototype|mvp)\b"
            r"|앱|어플|애플리케이션|웹사이트|사이트|플랫폼|api|랜딩 ?페이지|홈페이지|도구|게임|대시보드|스토어"
            r"|쇼핑몰|서비스|라이브러리|프로그램"
            r"|시스템|포털|편집기|계산기|블로그|확장 프로그램",
        ),
        (
            Mark.SNIPPET,
            r"\b(?:regex(?:p|es)?|regular expression|snippets?|one-?liner|(?:sql )?query|function|shell command"
            r"|small script|script"
            r"|code example)\b|정규식|정규 표현식|스니펫|쿼리|함수|한 줄|예제 코드|스크립트",
        ),
        (
            Mark.INQUIRY,
            r"\b(?:q ?& ?a|questions?|explanation|comparison|versus|vs|difference between|best|pros and cons"
            r"|code review"
            r"|(?:security|design|code) review|review of|research|debugging help|help (?:me )?(?:debugging"
            r"|understanding)|advice"
            r"|tutorial|alternatives to)\b|질문|차이|장단점|최고의|모범 사례|디버깅 도움|코드 리뷰|연구|vs",
        ),
        (Mark.DEFINITE, r"\b(?:for|to|in|on|of) (?:the|our|my|this|these) "),
    )
)

_POLITE = _compiled(
    r"^\s*(?:(?:hi|hello|hey|please|ok|okay|so)\b[,.! ]*|(?:can|could|would|will) you (?:please |kindly )?"
    r"|(?:i|we)(?:'d| would) like (?:you )?(?:to (?:have )?)?|(?:i|we) (?:want|need|have) (?:you )?(?:to )?"
    r"|let'?s |help me (?:to )?)+"
)
_POLITE_KOREAN = _compiled(r"(?:줄|주실|주) ?(?:수 있|래|시겠|실래)|줄래|주시겠|주실래")
_INTERROGATIVE = _compiled(
    r"^\s*(?:why|what|what's|whats|which|how|who|whose)\b|^[^.]{0,200}(?:왜|무엇|무슨|뭐|뭔|어떻게|어떤|어느)[^.]*"
    r"(?:까|나요|가요|에요|예요|인지|는지|지|까요|\?)\s*[?.]?\s*$"
)
_BEFORE_OBJECT_ENDS = _compiled(
    r"\b(?:that|which|who|with|for|using|to|when(?:ever)?|on|in|every|from|by|so|where)\b|[,.;:]"
)


@dataclass(frozen=True, slots=True)
class Signals:
    """What a text says: its main verb, the marks in it, whether it is a question."""

    verb: Word | None
    marks: frozenset[Mark]
    question: bool = False
    head: frozenset[Mark] = frozenset()
    """Marks in the main verb's object alone."""

    def has(self, *marks: Mark) -> bool:
        """Whether any of these marks is there."""
        return not self.marks.isdisjoint(marks)


def read_signals(text: str) -> Signals:
    """What kind of words a task's text is made of (D-04)."""
    plain = " ".join(text.split())[:2000]
    wish = _POLITE.sub("", plain)
    marks = frozenset(mark for mark, pattern in MARKS if pattern.search(wish)) | _services(wish)
    korean = detect(plain) is Language.KO
    asked = _asks(plain, wish, korean)
    verb, head = _main_korean(wish) if korean else _main_english(wish)
    return Signals(verb, marks, asked, frozenset(mark for mark, pattern in MARKS if pattern.search(head)))


def _services(text: str) -> frozenset[Mark]:
    found = {match.group().casefold() for match in re.finditer(rf"\b(?:{_SERVICE})", text, re.IGNORECASE)}
    return frozenset({Mark.SERVICES}) if len(found) > 1 else frozenset()


def _asks(plain: str, wish: str, korean: bool) -> bool:
    if _INTERROGATIVE.search(wish):
        return not _POLITE_KOREAN.search(wish)
    return plain.rstrip().endswith("?") and wish == plain and not (korean and _POLITE_KOREAN.search(plain))


def _main_english(text: str) -> tuple[Word | None, str]:
    """The first verb, of "analyse and fix" the second; and its object, which ends where a clause begins."""
    hits = sorted((match.start(), match.end(), word) for word, pattern in _ENGLISH for match in pattern.finditer(text))
    hits = [hit for hit in hits if _is_verb(text, hit[0], hit[1])]
    if not hits:
        return None, ""
    _, end, word = hits[0]
    later = next((hit for hit in hits[1:] if _joined(text[end : hit[0]])), None)
    if word is Word.ASK and later is not None and later[2] is not Word.ASK:
        _, end, word = later
    rest = text[end:]
    stop = _BEFORE_OBJECT_ENDS.search(rest)
    return word, rest[: stop.start()] if stop else rest


_NOUN_BEFORE = _compiled(
    r"\b(?:an?|the|my|our|this|that|new|some|any|daily|weekly|of|for|with|by|no|on|every|each)(?: \w+)? $"
)
_IMPERATIVE_BEFORE = _compiled(
    r"(?:^|[,.;:!] ?|\b(?:and|then|to|please|must|should|will|can|automatically|also|just|now|quickly) )$"
)


def _is_verb(text: str, start: int, end: int) -> bool:
    """Many verbs are nouns too. A verb begins the wish or a clause, or follows `to`, `and`, `automatically`."""
    before = text[:start]
    return (
        bool(_IMPERATIVE_BEFORE.search(before)) and not _NOUN_BEFORE.search(before) and not text[end:].startswith("ing")
    )


def _joined(between: str) -> bool:
    return len(between) < 160 and re.search(r"\b(?:and|then)(?: then| also)? $", between) is not None


def _main_korean(text: str) -> tuple[Word | None, str]:
    """The last verb: Korean puts it at the end. Its object stands right before it."""
    hits = sorted((match.start(), match.end(), word) for word, pattern in _KOREAN for match in pattern.finditer(text))
    if not hits:
        return None, ""
    start, _, word = hits[-1]
    return word, " ".join(text[:start].split()[-2:])
