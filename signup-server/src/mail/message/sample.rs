//! A mail about places for tests, and mails as a person reads them.

use jiff::civil::date;
use mailparse::{MailHeaderMap as _, ParsedMail};
use signup_core::{
    CancelledBy, Capacity, Event, Hours, MessageId, NewEvent, NewOrganization, NewShift, Notice, NoticeId,
    Organization, OrganizationId, PlaceChange, ScheduledShift, Scopes, Service, Signup, SignupId,
    SignupState, TimeAndPlace, Told,
};
use signup_store_memory::MemoryStore;
use uuid::Uuid;

use super::*;

/// A mail about places at a published event with the shifts "Early" (09:00 to 12:30), "Late" (12:00 to 17:00) and "Sunday" (the
/// next day).
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) organization: Organization,
    pub(super) event: Event,
    pub(super) shifts: Vec<ScheduledShift>,
    pub(super) places: Vec<PlaceNews>,
    pub(super) is_asked: bool,
    pub(super) now: Timestamp,
}

pub(super) const EARLY: usize = 0;
pub(super) const LATE: usize = 1;
pub(super) const SUNDAY: usize = 2;

impl Sample {
    pub(super) async fn create() -> Self {
        let service = Service::new(MemoryStore::new());
        let new = NewOrganization::new("Riverside Food Bank".parse().unwrap());
        let mut organization = service.admin().create_organization(new).await.unwrap();
        organization.contact = Some("help@riverside.example".parse().unwrap());
        let session = service.session_for(organization.id, Scopes::all()).await.unwrap();
        let shift = |title: &str, hours: Hours| {
            NewShift::new(title.parse().unwrap(), Capacity::new(9).unwrap()).hours(hours)
        };
        let early = shift("Early", Hours::parse(Some("09:00"), Some("12:30")).unwrap());
        let late = shift("Late", Hours::parse(Some("12:00"), Some("17:00")).unwrap());
        let sunday = shift("Sunday", Hours::ALL_DAY.on_day(2).unwrap());
        let new = NewEvent::new(
            "Food drive".parse().unwrap(),
            date(2099, 6, 6),
            "America/New_York".parse().unwrap(),
        );
        let new = new
            .end_date(date(2099, 6, 7))
            .location("12 Long Street".parse().unwrap())
            .shift(early)
            .shift(late)
            .shift(sunday)
            .published();
        let created = session.create_event(new).await.unwrap();
        let mut event = created.event;
        event.slug = "food-drive".to_owned();
        let shifts = created.shifts.clone();
        Self { organization, event, shifts, places: vec![], is_asked: false, now: NOW }
    }

    /// Adds a place to the mail.
    pub(super) fn place(&mut self, shift: usize, name: &str, change: PlaceChange) -> &mut PlaceNews {
        let number = self.places.len() as u128 + 1;
        let shift = self.shifts[shift].clone();
        let at = TimeAndPlace::of(&shift, &self.event);
        let path = (self.organization.id, self.event.id, shift.id);
        let id = SignupId::new(Uuid::from_u128(number));
        let email = "ada@example.org".parse().unwrap();
        let told = Told::by_form(&shift, &self.event);
        let signup = Signup::new(id, path, name.parse().unwrap(), email, told, NOW);
        self.places.push(PlaceNews::new(shift, signup, at, change, 0));
        self.places.last_mut().unwrap()
    }

    /// Adds a person whom the organizer has moved to a shift from another one.
    pub(super) fn moved(&mut self, from: usize, shift: usize, name: &str) -> &mut PlaceNews {
        let told = Told::by_form(&self.shifts[from], &self.event);
        let place = self.place(shift, name, PlaceChange::Moved { before: told.at.clone() });
        (place.signup.told, place.sequence) = (told, 1);
        place
    }

    /// Adds a person who waits for a place.
    pub(super) fn waiting(&mut self, shift: usize, name: &str, change: PlaceChange) -> &mut PlaceNews {
        let place = self.place(shift, name, change);
        place.signup.state = SignupState::Waitlisted;
        place.signup.has_waited = true;
        place.place_in_line = Some(3);
        place
    }

    /// Adds a person who waited until the place on the list was cancelled.
    pub(super) fn off_list(&mut self, shift: usize, name: &str, by: CancelledBy) -> &mut PlaceNews {
        let place = self.cancelled(shift, name, by);
        place.signup.has_waited = true;
        place
    }

    /// Adds a place that was cancelled.
    pub(super) fn cancelled(&mut self, shift: usize, name: &str, by: CancelledBy) -> &mut PlaceNews {
        let place = self.place(shift, name, PlaceChange::Cancelled);
        place.signup.state = SignupState::Cancelled { at: NOW, by };
        place.sequence = 1;
        place
    }

    pub(super) fn mail(&self) -> Mail {
        let Self { organization, event, places, .. } = self;
        let email = "ada@example.org".parse().unwrap();
        let mut news = News::new(organization.clone(), event.clone(), email, places.clone());
        news.is_asked = self.is_asked;
        mail_of(MailContent::News(Box::new(news)))
    }

    pub(super) fn written(&self) -> WrittenMail {
        written_at(&self.mail(), self.now)
    }
}

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

pub(super) fn notice(cause: NoticeCause) -> Notice {
    Notice::new(NoticeId::NONE, OrganizationId::NONE, None, cause, NOW)
}

/// Returns a mail with this content. Its link has a secret that is always the same.
pub(super) fn mail_of(content: MailContent) -> Mail {
    let notice = notice(NoticeCause::MessageSent { message: MessageId::NONE, covered_to: None });
    let mut mail = Mail::new(notice, content);
    mail.secret = Some("s".repeat(43).parse().unwrap());
    mail
}

pub(super) fn written(mail: &Mail) -> WrittenMail {
    written_at(mail, NOW)
}

fn written_at(mail: &Mail, now: Timestamp) -> WrittenMail {
    write(mail, &"Signup <help@example.org>".parse().unwrap(), "https://example.org", now).unwrap()
}

/// Returns the headers of a mail, its text, and its files, as a person reads them.
pub(super) fn shown(mail: &WrittenMail) -> String {
    let parsed = mailparse::parse_mail(mail.content.as_bytes()).unwrap();
    let names = ["From", "To", "Reply-To", "Subject", "List-Unsubscribe", "List-Unsubscribe-Post"];
    let headers = parsed.headers.iter().filter(|header| names.contains(&&*header.get_key()));
    let headers: String =
        headers.map(|header| format!("{}: {}\n", header.get_key(), header.get_value())).collect();
    let files: String = parsed.subparts.iter().filter_map(file).collect();
    format!("{headers}\n{}{files}", mail.text)
}

/// Returns an attachment: its type, its name, and its unfolded lines. `None` for another part.
fn file(part: &ParsedMail<'_>) -> Option<String> {
    let disposition = part.headers.get_first_value("Content-Disposition")?;
    let lines = part.get_body().unwrap().replace("\r\n ", "").replace("\r\n", "\n");
    Some(format!("\n--- {}; {disposition}\n{lines}", part.headers.get_first_value("Content-Type")?))
}

/// Returns the HTML of a mail.
pub(super) fn html(mail: &WrittenMail) -> String {
    fn find(part: &ParsedMail<'_>) -> Option<String> {
        match part.ctype.mimetype.as_str() {
            "text/html" => part.get_body().ok(),
            _ => part.subparts.iter().find_map(find),
        }
    }
    find(&mailparse::parse_mail(mail.content.as_bytes()).unwrap()).unwrap().replace("\r\n", "\n")
}
