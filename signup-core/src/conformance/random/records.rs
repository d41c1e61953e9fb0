//! New records, and variants of records.

use super::{Draft, Numbers};
use crate::conformance::records::*;
use crate::*;

impl Draft<'_> {
    /// Returns a new record, or `None` if there is no parent for one.
    pub(super) fn new_record(&self, kind: Kind, numbers: &mut Numbers<'_>) -> Option<Record> {
        let (number, world) = (self.number, &self.world);
        Some(match kind {
            Kind::Organization => Organization { slug: numbers.name(number), ..organization(number) }.into(),
            Kind::Token => {
                let organization = numbers.pick(world.all::<&Organization>())?.id;
                let digest = Digest::of(&numbers.name(number));
                Token { organization, digest, ..token(1, number) }.into()
            }
            Kind::Event => {
                let organization = numbers.pick(world.all::<&Organization>())?.id;
                let (slug, dates) = (numbers.name(number), numbers.dates());
                let is_published = numbers.below(3) != 2;
                Event { organization, slug, dates, is_published, ..event(1, number) }.into()
            }
            Kind::Shift => {
                let event = numbers.pick(world.all::<&Event>())?;
                let new = shift(event, number, numbers.capacity().volunteers());
                Shift { hours: numbers.hours(), position: numbers.below(3).into(), ..new }.into()
            }
            Kind::Question => {
                let event = numbers.pick(world.all::<&Event>())?;
                question(event, number, numbers.below(3).into()).into()
            }
            Kind::Signup => {
                // The sign-ups for a closed shift are cancelled, and no rule adds one.
                let open = world.all::<&Shift>().filter(|shift| shift.closing.is_none());
                let shift = numbers.pick(open)?;
                let email = numbers.email();
                let answers = self.answers(shift.event, numbers);
                let new = Signup { email, answers, name: numbers.person_name(), ..signup(shift, number) };
                if numbers.below(4) == 3 { waiting(new).into() } else { new.into() }
            }
            Kind::Link => {
                let (digest, expires_at) = (Digest::of(&numbers.name(number)), self.soon(numbers));
                Link { digest, expires_at, ..link(numbers.pick(world.all::<&Signup>())?, number) }.into()
            }
            Kind::Receipt => {
                let owner = 1 + u32::from(numbers.below(4) == 3);
                let key = receipt_key(owner, &format!("key-{}", numbers.below(3)));
                let expires_at = self.soon(numbers);
                Receipt { expires_at, ..receipt(key, &event(owner, number), &[]) }.into()
            }
            Kind::Notice => {
                let due_at = self.now + SignedDuration::from_secs(numbers.below(24).into());
                let mut new = notice(numbers.pick(world.all::<&Shift>())?, number);
                if numbers.below(4) == 0 {
                    new = Notice::new(new.id, OrganizationId::NONE, None, code_asked_for(number), self.now);
                } else if let Some(signup) =
                    numbers.pick(world.all::<&Signup>()).filter(|_| numbers.below(2) == 0)
                {
                    new = recipient(signup, number);
                    let remind_at = Some(self.now + SignedDuration::from_secs(numbers.below(24).into()));
                    if let NoticeCause::News(recipient) = &mut new.cause {
                        recipient.remind_at = remind_at.filter(|_| numbers.below(3) > 0);
                    }
                }
                Notice { due_at: Some(due_at).filter(|_| numbers.below(4) > 0), ..new }.into()
            }
            Kind::Activity => {
                let organization = numbers.pick(world.all::<&Organization>())?.id;
                let kind = numbers.pick(ActivityType::ALL.iter().take(4))?.clone();
                let subject = match numbers.pick(world.all::<&Event>()).filter(|_| numbers.below(3) > 0) {
                    Some(event) => event.into(),
                    None => Subject::default(),
                };
                Activity { organization, kind, subject, created_at: self.now, ..activity(1, number) }.into()
            }
            Kind::Webhook => {
                let organization = numbers.pick(world.all::<&Organization>())?.id;
                Webhook { organization, disabled: self.disabled(numbers), ..webhook(1, number) }.into()
            }
            Kind::Delivery => {
                let new = delivery(numbers.pick(world.all::<&Webhook>())?, number);
                let due_at = self.now + SignedDuration::from_secs(numbers.below(24).into());
                let state = DeliveryState::Pending { due_at, is_leased: numbers.below(3) == 0 };
                let expires_at = self.soon(numbers);
                Delivery { state, expires_at, ..new }.into()
            }
            Kind::Message => {
                let event = numbers.pick(world.all::<&Event>())?;
                Message { created_at: self.soon(numbers) - Message::PERIOD, ..message(event, number) }.into()
            }
            Kind::OptOut => {
                let organization = numbers.pick(world.all::<&Organization>())?.id;
                OptOut { organization, mailbox: numbers.email(), ..opt_out(1, number) }.into()
            }
            Kind::Person => Person { email: numbers.email(), ..person(number) }.into(),
            Kind::Invitation => {
                let organization = numbers.pick(world.all::<&Organization>())?.id;
                let digest = Digest::of(&numbers.name(number));
                let expires_at = self.soon(numbers);
                let mut new = Invitation { organization, digest, expires_at, ..invitation(1, number) };
                match &mut new.invitee {
                    Some(invitee) if numbers.below(4) > 0 => invitee.email = numbers.email(),
                    invitee => *invitee = None,
                }
                new.into()
            }
            Kind::SignIn => {
                let person = numbers.pick(world.all::<&Person>())?;
                let created_at = self.soon(numbers) - SignIn::LIFETIME;
                SignIn { created_at, used_at: created_at, ..sign_in(person, number) }.into()
            }
            // Location data is put with its event, a membership with its person, and a code in place of the one before.
            Kind::LocationData | Kind::Membership | Kind::SignInCode => return None,
        })
    }

    /// Returns a variant of a record at its next version, or `None` if the kind has none.
    pub(super) fn variant(&self, mut record: Record, numbers: &mut Numbers<'_>) -> Option<Record> {
        let (number, now) = (self.number, self.now);
        match &mut record {
            Record::Organization(found) => {
                found.version += 1;
                found.gate += u32::from(numbers.below(2) == 0);
                match numbers.below(3) {
                    0 => found.plan = if found.plan == Plan::Pro { Plan::Free } else { Plan::Pro },
                    1 => found.contact = if found.contact.is_some() { None } else { Some(numbers.email()) },
                    _ => found.slug = numbers.name(number),
                }
            }
            Record::Token(found) => {
                found.version += 1;
                match numbers.below(3) {
                    0 => found.revoked_at = Some(now),
                    1 => found.last_used_at = Some(now),
                    _ => found.digest = Digest::of(&numbers.name(number)),
                }
            }
            Record::Event(found) => self.change_event(found, numbers),
            Record::Shift(found) => self.change_shift(found, numbers),
            Record::Question(found) => {
                found.version += 1;
                found.label = Label::new(&format!("Question {number}")).unwrap();
                found.position = numbers.below(3).into();
            }
            Record::Signup(found) => self.change_signup(found, numbers),
            Record::Notice(found) => {
                let notice = Notice::clone(found);
                **found = match numbers.below(4) {
                    0 => notice.claimed(now),
                    1 => notice.after_failure(MailFailure::Permanent, "550 never", now),
                    2 => notice.after_failure(MailFailure::Transient, "450 later", now),
                    _ => notice.requeued(now),
                };
            }
            Record::Webhook(found) => {
                found.version += 1;
                match numbers.below(3) {
                    0 => found.disabled = self.disabled(numbers),
                    1 => found.last_success_at = Some(now),
                    _ => found.failing_since = if found.failing_since.is_some() { None } else { Some(now) },
                }
            }
            Record::Delivery(found) => {
                let delivery = Delivery::clone(found);
                let error = "status 503".to_owned();
                let failed = Attempt::Failed { status: Some(503), error, retry_after: None };
                **found = match numbers.below(4) {
                    0 => delivery.claimed(now),
                    1 => delivery.after(&failed, 0.0, now),
                    2 => delivery.after(&Attempt::Succeeded { status: 204 }, 0.0, now),
                    _ => delivery.redelivered(now),
                };
            }
            Record::Person(found) => {
                found.version += 1;
                match numbers.below(2) {
                    0 => found.email = numbers.email(),
                    _ => found.generation += 1,
                }
            }
            Record::Membership(found) => {
                found.version += 1;
                found.role = numbers.role();
            }
            Record::Invitation(found) => {
                found.version += 1;
                found.digest = Digest::of(&numbers.name(number));
                found.expires_at = self.soon(numbers);
            }
            Record::SignInCode(found) => {
                found.version += 1;
                match numbers.below(2) {
                    0 => found.tries += 1,
                    _ => found.expires_at = self.soon(numbers),
                }
            }
            Record::SignIn(found) => {
                found.version += 1;
                found.used_at = now;
            }
            Record::LocationData(_)
            | Record::Link(_)
            | Record::OptOut(_)
            | Record::Receipt(_)
            | Record::Message(_)
            | Record::Activity(_) => {
                return None;
            }
        }
        Some(record)
    }

    /// Returns a time at which a record expires.
    pub(super) fn soon(&self, numbers: &mut Numbers<'_>) -> Timestamp {
        self.now + SignedDuration::from_secs(1 + i64::from(numbers.below(20)))
    }

    fn disabled(&self, numbers: &mut Numbers<'_>) -> Option<Disabled> {
        (numbers.below(3) == 0).then_some(Disabled { at: self.now, reason: Some(DisabledReason::Gone) })
    }

    fn change_event(&self, event: &mut Event, numbers: &mut Numbers<'_>) {
        let choice = numbers.below(8);
        event.version += 1;
        event.gate += u32::from(choice > 2);
        event.updated_at = self.now;
        match choice {
            0 => event.title = Title::new(&format!("Edit {}", self.number)).unwrap(),
            1 if numbers.below(2) == 0 => event.external_id = Some(numbers.external_id()),
            1 => event.is_virtual ^= true,
            2 => event.slug = numbers.name(self.number),
            3 => event.is_published ^= true,
            4 => event.dates = numbers.dates(),
            5 => event.cancelled_at = Some(self.now),
            _ => event.deleted_at = if event.deleted_at.is_some() { None } else { Some(self.now) },
        }
    }

    fn change_shift(&self, shift: &mut Shift, numbers: &mut Numbers<'_>) {
        let choice = numbers.below(6);
        shift.version += 1;
        shift.gate += u32::from(choice != 1);
        shift.updated_at = self.now;
        // A store ignores both.
        (shift.occupancy.filled, shift.occupancy.waitlisted) = (99, 99);
        match choice {
            0 => shift.occupancy.capacity = numbers.capacity(),
            1 => shift.title = Title::new(&format!("Edit {}", self.number)).unwrap(),
            2 => shift.hours = numbers.hours(),
            3 | 4 if shift.closing.is_none() => {
                shift.closing =
                    Some(Closing { at: self.now, by: numbers.cause(), reason: None, is_silent: false });
            }
            _ => shift.deleted_at = if shift.deleted_at.is_some() { None } else { Some(self.now) },
        }
    }

    fn change_signup(&self, signup: &mut Signup, numbers: &mut Numbers<'_>) {
        signup.version += 1;
        match numbers.below(7) {
            0 | 1 if signup.is_active() => *signup = signup.clone().cancelled(self.now, numbers.cause()),
            2 if signup.is_active() => signup.email = numbers.email(),
            5 if signup.is_waitlisted() => signup.state = SignupState::Confirmed,
            3 => signup.name = numbers.person_name(),
            4 if signup.is_confirmed() => {
                signup.attendance =
                    [None, Some(Attendance::Attended), Some(Attendance::Absent)][numbers.below(3) as usize];
                signup.changed_at = Some(self.now);
            }
            6 if signup.is_active() => {
                let of_event = self.world.all::<&Shift>().filter(|shift| shift.event == signup.event);
                signup.shift = numbers.pick(of_event).map_or(signup.shift, |shift| shift.id);
            }
            _ => signup.repeated_at = Some(self.now),
        }
    }
}

impl Numbers<'_> {
    /// Returns a slug, or the text of a digest: a new one, or sometimes one that other records can have, too.
    fn name(&mut self, number: u32) -> String {
        if self.below(4) == 3 { "common".to_owned() } else { format!("name-{number}") }
    }

    fn external_id(&mut self) -> ExternalId {
        ["a", "b"][usize::from(self.below(2))].parse().unwrap()
    }

    fn email(&mut self) -> EmailAddress {
        email(self.below(4), self.below(2) == 1)
    }

    pub(super) fn role(&mut self) -> Role {
        Role::ALL[usize::from(self.below(3))]
    }

    fn person_name(&mut self) -> PersonName {
        PersonName::new(self.pick(PERSON_NAMES).unwrap_or("Ada")).unwrap()
    }

    fn cause(&mut self) -> CancelledBy {
        CancelledBy::ALL[usize::from(self.below(4))]
    }

    fn capacity(&mut self) -> Capacity {
        Capacity::new(1 + u32::from(self.below(3))).unwrap()
    }

    fn hours(&mut self) -> Hours {
        let (day, start) = (1 + u32::from(self.below(3)), 60 * u16::from(self.below(24)));
        let end = match self.below(3) {
            0 => (day, start, start / 2, true),
            _ => (day, start, (start + 90).min(1440), false),
        };
        end.try_into().unwrap()
    }

    fn dates(&mut self) -> EventDates {
        let day = 1 + self.below(4);
        let date = |day| format!("2027-06-0{day}").parse().unwrap();
        let zone = ["UTC", "Pacific/Kiritimati"][usize::from(self.below(2))];
        let days = self.below(3);
        let last = (days > 0).then(|| date(day + days));
        EventDates { first: Day::new(date(day), zone.parse().unwrap()), last }
    }
}

/// Names with the wildcards and the quotes of SQL, and of scripts whose lower case is not that of ASCII.
const PERSON_NAMES: [&str; 7] =
    ["Ada", "100% Éva_1", "100x Éva 1", "O'Brien \"Bo\" \\", "İpek Ünal", "ΟΔΥΣΣΕΥΣ Σ", "МАРИЯ"];

/// Texts that are parts of the [`PERSON_NAMES`] or of addresses, or of none.
pub(in crate::conformance) const SEARCHES: [&str; 14] =
    ["A", "0%", "_1", "É", "o'b", "\"bo\"", "\\", "i", "İ", "ΥΣ", "υς", "мария", "@EXAMPLE", "nobody"];

/// Returns the address of a volunteer.
pub(in crate::conformance) fn email(person: u8, is_upper_case: bool) -> EmailAddress {
    let address = format!("ada{}@example.org", 10 + person);
    EmailAddress::new(&if is_upper_case { address.to_uppercase() } else { address }).unwrap()
}
