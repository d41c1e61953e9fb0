//! The change sets of the test, made of [`Step`]s.
//!
//! The change sets of a list access the same few records, and also records that other change sets of the list insert. Each
//! has ids and secrets of its own. A write that needs a fact, for example that a slug is free, comes with the requirement.
//! So no write violates a constraint of a database.

use super::step::{Change, Check, EventEdit, Step};
use crate::conformance::records::*;
use crate::conformance::world::*;
use crate::*;

/// Returns the change sets of a list of steps.
pub(super) fn change_sets(steps: &[Vec<Step>]) -> Vec<ChangeSet> {
    let targets = Targets::new(steps);
    let build = |(place, steps): (usize, &Vec<Step>)| {
        let mut change = ChangeSet::default();
        for (number, step) in numbered(place, steps) {
            targets.add(&mut change, number, step);
        }
        // Every second change set has its requirements in the reverse order.
        if place % 2 == 1 {
            change.requires.reverse();
        }
        change
    };
    steps.iter().enumerate().map(build).collect()
}

/// Returns the steps of a change set, each with the first of its 10 numbers for ids.
fn numbered(place: usize, steps: &[Step]) -> impl Iterator<Item = (u32, &Step)> {
    let first = 100 * (1 + u32::try_from(place).unwrap());
    (0..).zip(steps).map(move |(index, step)| (first + 10 * index, step))
}

/// The records that steps select: those of the world, and those that the list inserts.
struct Targets {
    events: Vec<Event>,
    shifts: Vec<Shift>,
    signups: Vec<Signup>,
    notices: Vec<Notice>,
}

/// The shifts of the world. The shift 9 belongs to a deleted event, and the shift 11 is deleted. The shift 3 comes second,
/// because it belongs to the same organization as the shift 1.
const SHIFTS: [u32; 6] = [1, 3, 2, 4, 9, 11];
/// The events of the world. The event 5 is deleted.
const EVENTS: [u32; 3] = [1, 2, 5];

impl Targets {
    fn new(steps: &[Vec<Step>]) -> Self {
        let all = || steps.iter().enumerate().flat_map(|(place, steps)| numbered(place, steps));
        let mut targets = Self {
            events: EVENTS.map(event_of).to_vec(),
            shifts: SHIFTS.map(shift_of).to_vec(),
            signups: (1..7).chain([11, 13]).map(signup_of).collect(),
            notices: (1..5).map(|number| notice_of(number, number < 3)).collect(),
        };
        for (number, step) in all() {
            if let Step::Create { organization, is_published, has_common_slug, capacities, .. } = step {
                let mut event = Event { is_published: *is_published, ..event(*organization, number) };
                if *has_common_slug {
                    event.slug = "common".to_owned();
                }
                let numbered = (number..).zip(capacities);
                targets.shifts.extend(numbered.map(|(number, capacity)| shift(&event, number, *capacity)));
                targets.events.push(event);
            }
        }
        for (number, step) in all() {
            if let Step::SignUp { shift, person, is_upper_case, .. } = step {
                let email = address(*person);
                let upper_case = EmailAddress::new(&email.as_str().to_uppercase()).unwrap();
                let email = if *is_upper_case { upper_case } else { email };
                // The question 9 has no answer in the world.
                let answers = if number % 20 == 0 { vec![answer(9, "S")] } else { vec![] };
                let signup = signup(at_index(&targets.shifts, *shift), number);
                targets.signups.push(Signup { email, answers, ..signup });
            }
        }
        for (number, step) in all() {
            let about = match step {
                Step::SignUp { is_notified: true, .. } => targets.signup(number),
                Step::Notify { signup } => Some(at_index(&targets.signups, *signup)),
                _ => None,
            };
            // A notice refers to a shift, which has to exist.
            let is_certain = |about: &&Signup| targets.is_of_world(about.shift);
            if let Some(about) = about.filter(is_certain) {
                let cause = NoticeCause::Cancelled { signup: about.id };
                let path = (about.organization, about.event, about.shift);
                targets.notices.push(Notice::new(NoticeId::new(uuid(number)), path, cause, at(2)));
            }
        }
        targets
    }

    fn signup(&self, number: u32) -> Option<&Signup> {
        self.signups.iter().find(|signup| signup.id == SignupId::new(uuid(number)))
    }

    fn is_of_world(&self, shift: ShiftId) -> bool {
        self.shifts[..SHIFTS.len()].iter().any(|found| found.id == shift)
    }

    /// Adds the requirements and the writes of a step.
    fn add(&self, change: &mut ChangeSet, number: u32, step: &Step) {
        match step {
            Step::SignUp { shift, checks_event, .. } => {
                let shift = at_index(&self.shifts, *shift);
                if *checks_event {
                    let (organization, event) = (shift.organization, shift.event);
                    change.requires.push(Requirement::EventAtVersion { organization, event, version: 1 });
                }
                self.sign_up(change, number, shift);
            }
            Step::Change { signup, change: kind, check } => {
                let found = at_index(&self.signups, *signup);
                if let Some((checked, check)) = check {
                    let checked = at_index(&self.signups, *checked);
                    change.requires.push(match check {
                        Check::Confirmed => is_confirmed(checked),
                        Check::FirstSecret => has_secret(checked, checked.secret),
                    });
                }
                let at = at(i64::from(number));
                change.writes.push(match kind {
                    Change::Cancel => cancel(found, at),
                    Change::Erase => erase(found),
                    Change::Renew => {
                        let Signup { organization, shift, id: signup, .. } = *found;
                        let secret = Digest::of(&format!("renewed {signup} by {number}"));
                        Write::RenewSecret { organization, shift, signup, secret, at }
                    }
                });
            }
            Step::Edit { shift, capacity, check } => {
                if let Some((checked, version)) = *check {
                    let Shift { organization, id: shift, .. } = *at_index(&self.shifts, checked);
                    change.requires.push(Requirement::ShiftAtVersion { organization, shift, version });
                }
                change.writes.push(Write::UpdateShift(Box::new(Shift {
                    title: Title::new(&format!("Edit {number}")).unwrap(),
                    occupancy: Occupancy::empty(Capacity::new(*capacity).unwrap()),
                    version: check.map_or(2, |(_, version)| version + 1),
                    ..at_index(&self.shifts, *shift).clone()
                })));
            }
            Step::Create { key, limit, .. } => self.create(change, number, *key, *limit),
            Step::EditEvent { event, edit, check, limit } => {
                let event = at_index(&self.events, *event);
                if let Some(limit) = *limit {
                    let organization = event.organization;
                    change.requires.push(Requirement::ActiveEventsBelow { organization, limit, now: at(0) });
                }
                self.require_version(change, *check);
                let version = check.map_or(2, |(_, version)| version + 1);
                change.writes.push(update_event(Event { version, ..edited(event, *edit, number) }));
            }
            Step::DeleteEvent { event, is_restored, check } => {
                if let Some(checked) = *check {
                    let Event { organization, id: event, .. } = *at_index(&self.events, checked);
                    change.requires.push(if *is_restored {
                        Requirement::EventDeleted { organization, event, version: 1 }
                    } else {
                        Requirement::EventAtVersion { organization, event, version: 1 }
                    });
                }
                let found = at_index(&self.events, *event);
                let (organization, event) = (found.organization, found.id);
                change.writes.push(if *is_restored {
                    Write::RestoreEvent(Box::new(edited(found, EventEdit::Title, number)))
                } else {
                    Write::DeleteEvent { organization, event, at: at(i64::from(number)) }
                });
            }
            Step::AddShift { event, capacity, check } => {
                self.require_version(change, *check);
                let event = at_index(&self.events[..EVENTS.len()], *event);
                let version = check.map_or(2, |(_, version)| version + 1);
                change.writes.push(Write::InsertShifts(vec![shift(event, number, *capacity)]));
                change.writes.push(update_event(Event { version, ..event.clone() }));
            }
            Step::DeleteShift { shift, closes, is_deleted, check } => {
                if let Some(checked) = *check {
                    let Shift { organization, event, id: shift, .. } = *at_index(&self.shifts, checked);
                    let shifts = vec![shift];
                    change.requires.push(Requirement::ShiftsAreEmpty { organization, event, shifts });
                }
                let Shift { organization, id: shift, .. } = *at_index(&self.shifts, *shift);
                let at = at(i64::from(number));
                if *closes {
                    let by = CancelledBy::ShiftDeletion;
                    change.writes.push(Write::CloseShift { organization, shift, at, by });
                }
                if *is_deleted {
                    change.writes.push(Write::DeleteShift { organization, shift, at });
                }
            }
            Step::EditQuestion { question: edited, is_deleted, check } => {
                let event = event_of(owner(*edited));
                let organization = event.organization;
                if let Some(checked) = *check {
                    let event = event_of(owner(checked));
                    change.requires.push(Requirement::QuestionUnanswered {
                        organization: event.organization,
                        event: event.id,
                        question: QuestionId::new(uuid(checked)),
                    });
                }
                let edited = Question {
                    label: Label::new(&format!("Question {number}")).unwrap(),
                    ..question(&event, *edited, number % 3)
                };
                change.writes.push(if *is_deleted {
                    Write::DeleteQuestion { organization, event: event.id, question: edited.id }
                } else {
                    Write::UpdateQuestion(edited)
                });
            }
            Step::Answer { key, lives, check } => {
                if let Some(key) = check {
                    change.requires.push(no_receipt(*key));
                }
                change.writes.push(answer_with(*key, number, *lives));
            }
            Step::Ask { event, questions, check } => {
                let event = at_index(&self.events, *event);
                let is_certain = event.id < EventId::new(uuid(100)) || inserts_event(change, event.id);
                if !is_certain {
                    let (organization, event) = (event.organization, event.id);
                    change.requires.push(Requirement::EventAtVersion { organization, event, version: 1 });
                }
                self.require_version(change, *check);
                let new = (number..).take(*questions as usize).map(|number| question(event, number, 0));
                change.writes.push(Write::InsertQuestions(new.collect()));
            }
            Step::Notify { .. } => change.writes.extend(self.notice(number)),
            Step::Deliver { notice, is_deleted, check } => {
                if let Some((checked, version)) = *check {
                    let Notice { organization, id: notice, .. } = *at_index(&self.notices, checked);
                    change.requires.push(Requirement::NoticeAtVersion { organization, notice, version });
                }
                let found = at_index(&self.notices, *notice);
                let (organization, notice) = (found.organization, found.id);
                change.writes.push(if *is_deleted {
                    Write::DeleteNotice { organization, notice }
                } else {
                    Write::UpdateNotice(Box::new(Notice { attempts: number, ..found.clone().claimed(at(0)) }))
                });
            }
            Step::Token { organization, is_revoked: false } => {
                change.writes.push(Write::InsertToken(token(*organization, number)));
            }
            Step::Token { organization, is_revoked: true } => {
                let token = TokenId::new(uuid(*organization));
                change.writes.push(Write::RevokeToken { token, at: at(i64::from(number)) });
            }
            Step::Plan { organization, is_free } => {
                let plan = if *is_free { Plan::Free } else { Plan::Pro };
                change.writes.push(Write::SetPlan { organization: organization_id(*organization), plan });
            }
            Step::Organization => {
                let slug = "common".to_owned();
                change.requires.push(Requirement::OrganizationSlugFree(slug.clone()));
                let is_taken =
                    change.writes.iter().any(|write| matches!(write, Write::InsertOrganization(_)));
                if !is_taken {
                    let new = Organization { slug, ..organization(number) };
                    change.writes.push(Write::InsertOrganization(new));
                }
            }
            Step::Require(requirement) => change.requires.push(requirement.clone()),
        }
    }

    /// Requires a version of the event at an index.
    fn require_version(&self, change: &mut ChangeSet, check: Option<(usize, u32)>) {
        if let Some((event, version)) = check {
            let Event { organization, id: event, .. } = *at_index(&self.events, event);
            change.requires.push(Requirement::EventAtVersion { organization, event, version });
        }
    }

    fn sign_up(&self, change: &mut ChangeSet, number: u32, shift: &Shift) {
        let Some(signup) = self.signup(number) else { return };
        let closes =
            |write: &Write| matches!(write, Write::CloseShift { shift: closed, .. } if *closed == shift.id);
        if change.writes.iter().any(closes) {
            return;
        }
        let mut added = sign_up(shift, signup);
        // A new shift is open, and does not exist yet when the requirements are checked.
        if inserts_event(change, shift.event) {
            added.requires.truncate(1);
        }
        change.requires.append(&mut added.requires);
        let has_same_address = change.writes.iter().any(|write| {
            matches!(write, Write::InsertSignup(found) if found.shift == shift.id && found.email == signup.email)
        });
        if !has_same_address {
            change.writes.append(&mut added.writes);
            change.writes.extend(self.notice(number));
        }
    }

    fn create(&self, change: &mut ChangeSet, number: u32, key: Option<u32>, limit: Option<u32>) {
        let id = EventId::new(uuid(number));
        let Some(event) = self.events.iter().find(|event| event.id == id) else { return };
        if let Some(limit) = limit {
            let organization = event.organization;
            change.requires.push(Requirement::ActiveEventsBelow { organization, limit, now: at(0) });
        }
        change.requires.extend(key.map(no_receipt));
        change.requires.push(Requirement::EventSlugFree(event.slug.clone()));
        let is_taken = change.writes.iter().any(
            |write| matches!(write, Write::InsertEvent { event: found, .. } if found.slug == event.slug),
        );
        if is_taken {
            return;
        }
        let shifts = self.shifts.iter().filter(|shift| shift.event == id).cloned().collect();
        change.writes.push(Write::InsertEvent { event: Box::new(event.clone()), location_data: None });
        change.writes.push(Write::InsertShifts(shifts));
        change.writes.extend(key.map(|key| answer_with(key, number, true)));
    }

    /// Returns the write that inserts the notice with this number.
    fn notice(&self, number: u32) -> Option<Write> {
        let id = NoticeId::new(uuid(number));
        let notice = self.notices.iter().find(|notice| notice.id == id)?;
        Some(Write::InsertNotices(vec![notice.clone()]))
    }
}

/// Returns the write that updates an event. Another change set may have changed the event before, so each update may change
/// the total of active events.
fn update_event(event: Event) -> Write {
    Write::UpdateEvent { event: Box::new(event), may_change_activity: true }
}

fn edited(event: &Event, edit: EventEdit, number: u32) -> Event {
    let event = event.clone();
    match edit {
        EventEdit::Title => Event { title: Title::new(&format!("Edit {number}")).unwrap(), ..event },
        EventEdit::Publish(is_published) => Event { is_published, ..event },
        EventEdit::Move => {
            let first = Day::new("2027-06-09".parse().unwrap(), event.dates.first.zone().clone());
            Event { dates: EventDates { first, last: None }, ..event }
        }
        EventEdit::Cancel => Event { cancelled_at: Some(at(i64::from(number))), ..event },
    }
}

fn inserts_event(change: &ChangeSet, id: EventId) -> bool {
    change.writes.iter().any(|write| matches!(write, Write::InsertEvent { event, .. } if event.id == id))
}

fn key_of(key: u32) -> ReceiptKey {
    receipt_key(1, &format!("key-{key}"))
}

fn no_receipt(key: u32) -> Requirement {
    Requirement::NoReceipt { key: key_of(key), now: at(0) }
}

/// Returns the write of a receipt that differs for each number. The receipt is live at the present time if `lives`.
fn answer_with(key: u32, number: u32, lives: bool) -> Write {
    let receipt = receipt(key_of(key), &event(1, number), &[]);
    let expires_at = if lives { receipt.expires_at } else { at(-1) };
    Write::InsertReceipt(Box::new(Receipt { expires_at, ..receipt }))
}

/// Returns the record at `index`, or if there are fewer records, starts again at the first.
fn at_index<T>(records: &[T], index: usize) -> &T {
    &records[index % records.len()]
}
