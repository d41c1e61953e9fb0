//! Mails of a sample event for tests: what the outbox delivers, written and parsed.

use mailparse::{MailHeaderMap as _, ParsedMail};
use signup_core::{EventId, NewSignup, Scopes, Service, Session, ShiftId, SignedDuration};

use super::*;
use crate::sample_event::sample_event;

/// A service with an event, whose only shift has one volunteer.
pub(super) struct Sample {
    pub(super) service: Service,
    pub(super) session: Session,
    pub(super) event: EventId,
    pub(super) shift: ShiftId,
}

/// The decoded parts of a mail.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) subject: String,
    /// The names of the headers.
    pub(super) headers: Vec<String>,
    pub(super) from: String,
    pub(super) reply_to: Option<String>,
    /// The lines end with `\n`.
    pub(super) text: String,
    pub(super) html: String,
    /// The lines are unfolded. Empty if the mail has no calendar entry.
    pub(super) calendar: String,
}

impl Sample {
    /// Signs a volunteer up. The confirmation is due.
    pub(super) async fn create() -> Self {
        let (service, created) = sample_event().await;
        let service = service.with_change_mail_delay(SignedDuration::ZERO);
        let (event, shift) = (&created.event, created.shifts[0].id);
        let ada = NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap());
        let form = service.volunteers().form(&event.slug, [shift]).await.unwrap();
        form.sign_up(ada).await.unwrap().into_places().unwrap();
        let session = service.session_for(event.organization, Scopes::all()).await.unwrap();
        Self { event: event.id, service, session, shift }
    }

    /// Delivers the next mail. Panics if no mail is due.
    pub(super) async fn delivery(&self) -> Mail {
        let outbox = self.service.outbox();
        loop {
            let notice = outbox.due(1).await.unwrap().pop().expect("a mail is due");
            if let Some(mail) = outbox.claim(&notice).await.unwrap() {
                assert!(outbox.report_sent(&mail.notice).await.unwrap());
                return mail;
            }
        }
    }

    /// Delivers the next mail, and returns its parts.
    pub(super) async fn mail(&self) -> Parts {
        parts(&self.delivery().await)
    }
}

/// Returns what a mail about a sign-up shows.
pub(super) fn about(mail: &mut Mail) -> &mut SignupInFull {
    match &mut mail.content {
        MailContent::Signup(about) => about,
        other => panic!("{other:?}"),
    }
}

/// Writes a mail, and parses it.
pub(super) fn parts(mail: &Mail) -> Parts {
    let from = "Signup <help@example.org>".parse().unwrap();
    let mail = write(mail, &from, "https://example.org", mail.notice.created_at).unwrap();
    let parsed = mailparse::parse_mail(mail.content.as_bytes()).unwrap();
    let body = |part: &ParsedMail<'_>| part.get_body().unwrap();
    let (alternatives, calendar) = match parsed.subparts.as_slice() {
        [alternatives, calendar] if !alternatives.subparts.is_empty() => (alternatives, Some(calendar)),
        _ => (&parsed, None),
    };
    let [text, html] = alternatives.subparts.as_slice() else { panic!("{parsed:?}") };
    Parts {
        subject: parsed.headers.get_first_value("Subject").unwrap(),
        from: parsed.headers.get_first_value("From").unwrap(),
        reply_to: parsed.headers.get_first_value("Reply-To"),
        headers: parsed.headers.iter().map(mailparse::MailHeader::get_key).collect(),
        text: body(text).replace("\r\n", "\n"),
        html: body(html).replace("\r\n", "\n"),
        calendar: calendar.map(body).unwrap_or_default().replace("\r\n ", ""),
    }
}

impl Parts {
    /// Returns the value of a calendar property that occurs once.
    pub(super) fn property(&self, name: &str) -> &str {
        let mut values = self.calendar.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let value = values.next();
        assert!(value.is_some() && values.next().is_none(), "{name} in {}", self.calendar);
        value.unwrap_or_default()
    }

    pub(super) fn sequence(&self) -> u32 {
        self.property("SEQUENCE").parse().unwrap()
    }

    /// Panics unless text and HTML both contain `text`.
    pub(super) fn assert_says(&self, text: &str) {
        for part in [&self.text, &self.html] {
            assert!(part.contains(text), "{text} in {part}");
        }
    }

    /// Panics if text or HTML contains `text`.
    pub(super) fn assert_does_not_say(&self, text: &str) {
        for part in [&self.text, &self.html] {
            assert!(!part.contains(text), "{text} in {part}");
        }
    }
}
