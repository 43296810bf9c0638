"""The 23 examples of what people ask for, with the type that each speaks for, in both languages (S-28)."""

from __future__ import annotations

from andon.domain.tasks.phases import TaskType

A, B, C, D = TaskType.CREATE_APP, TaskType.MODIFY_APP, TaskType.WORKFLOW, TaskType.CUSTOM
EXAMPLES = [
    (A, "React와 Firebase로 todo 앱 만들기", "Build a todo app with React and Firebase"),
    (A, "블로그 플랫폼을 위한 REST API 생성", "Create a REST API for a blog platform"),
    (A, "SaaS 제품을 위한 랜딩 페이지 개발", "Develop a landing page for a SaaS product"),
    (A, "파일 관리를 위한 CLI 도구 만들기", "Make a CLI tool for file management"),
    (A, "전자상거래 스토어프론트 생성", "Create an e-commerce storefront"),
    (B, "기존 React 앱에 다크 모드 추가", "Add dark mode to an existing React app"),
    (B, "로그인 흐름의 인증 버그 수정", "Fix the authentication bug in the login flow"),
    (B, "사용자 목록에 페이지네이션 추가", "Add pagination to the user list"),
    (B, "async/await를 사용하도록 API 리팩토링", "Refactor the API to async/await"),
    (B, "의존성을 최신 버전으로 업데이트", "Update dependencies to the latest versions"),
    (B, "기존 앱에 이메일 알림 추가", "Add e-mail notifications to an existing app"),
    (C, "GitHub PR이 병합되면 Slack 알림 전송", "Send a Slack notice when a GitHub PR is merged"),
    (C, "PostgreSQL 데이터베이스를 S3로 일일 백업", "Back up PostgreSQL to S3 daily"),
    (C, "main 브랜치 push 시 프로덕션에 자동 배포", "Deploy to production automatically on push to main"),
    (C, "주간 분석 보고서 생성 및 이메일 전송", "Generate a weekly analytics report and send it by e-mail"),
    (C, "Stripe와 내부 데이터베이스 간 데이터 동기화", "Synchronise data between Stripe and an internal database"),
    (C, "웹사이트 가동 시간 모니터링 및 다운타임 시 알림", "Monitor the uptime of a website and alert on downtime"),
    (D, "JWT 인증이 어떻게 작동하는지 설명", "Explain how JWT authentication works"),
    (D, "이메일 주소를 검증하는 regex 작성", "Write a regex for e-mail addresses"),
    (D, "이 코드의 보안 취약점 검토", "Review this code for security problems"),
    (D, "이 오류 메시지가 왜 발생하나요?", "Why does this error occur?"),
    (D, "내 사용 사례에 대해 REST vs GraphQL 비교", "Compare REST and GraphQL for my case"),
    (D, "React를 위한 최고의 상태 관리는 무엇인가요?", "What is the best state management for React?"),
]
