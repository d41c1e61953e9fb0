//! The change sets of the steps.

use super::step::{EventEdit, QuestionEdit, Step};
use super::{State, email_of};
use crate::conformance::records::*;
use crate::*;

/// Returns the change set of a step, or `None` if the step selects a missing record or commits nothing.
pub(super) async fn change(state: &mut State, reference: &dyn Store, step: &Step) -> Option<ChangeSet> {
    state.first_number += 100;
    let (number, now) = (state.first_number, at(state.now_s));
    let mut change = ChangeSet::default();
    match *step {
        Step::Create { .. } => return Some(create(state, step)),
        Step::Edit { organization, shift, version, capacity, hours } => {
            let found = state.shift(shift)?;
            let organization = organization_id(organization);
            change.requires.push(Requirement::ShiftAtVersion { organization, shift: found.id, version });
            let edited = Shift {
                organization,
                hours: Hours::try_from(hours).unwrap(),
                occupancy: Occupancy { capacity: Capacity::new(capacity).unwrap(), filled: 99 },
                version: version + 1,
                updated_at: now,
                ..found.clone()
            };
            change.writes.push(Write::InsertNotices(vec![Notice { due_at: now, ..notice(found, number) }]));
            change.writes.push(Write::UpdateShift(Box::new(edited)));
        }
        Step::EditEvent { .. }
        | Step::DeleteEvent { .. }
        | Step::RestoreEvent { .. }
        | Step::SetLocationData { .. }
        | Step::AddShift { .. }
        | Step::Ask { .. } => return event_change(state, reference, step).await,
        Step::EditQuestion { organization, question, ref edit, is_unanswered } => {
            let found = state.questions.get(question as usize)?;
            let (organization, event, question) = (organization_id(organization), found.event, found.id);
            if is_unanswered {
                change.requires.push(Requirement::QuestionUnanswered { organization, event, question });
            }
            change.writes.push(match *edit {
                QuestionEdit::Move(position) => Write::UpdateQuestion(Question {
                    organization,
                    label: Label::new(&format!("Question {number}")).unwrap(),
                    position,
                    ..found.clone()
                }),
                QuestionEdit::Delete => Write::DeleteQuestion { organization, event, question },
            });
        }
        Step::DeleteShift { organization, shift, is_empty, closes, is_deleted } => {
            let Shift { event, id: shift, .. } = *state.shift(shift)?;
            let organization = organization_id(organization);
            if is_empty {
                let shifts = vec![shift];
                change.requires.push(Requirement::ShiftsAreEmpty { organization, event, shifts });
            }
            if closes {
                let by = CancelledBy::ShiftDeletion;
                change.writes.push(Write::CloseShift { organization, shift, at: now, by });
            }
            if is_deleted {
                change.writes.push(Write::DeleteShift { organization, shift, at: now });
            }
        }
        Step::SignUp { organization, shift, person, is_upper_case } => {
            let shift = state.shift(shift)?;
            let email = email_of(person, is_upper_case);
            let asked = state.questions.iter().filter(|question| question.event == shift.event);
            let answers = asked.take(1).map(|question| Answer {
                question_id: question.id,
                label: question.label.clone(),
                value: AnswerText::new("S").unwrap(),
            });
            let signup = Signup { email, answers: answers.collect(), ..signup(shift, number) };
            change = sign_up(shift, &signup);
            if organization == 2 && shift.organization == organization_id(1) {
                // The other organization has no such shift, so the address is free. Checks this, and writes nothing.
                let (organization, email) = (organization_id(2), signup.email);
                change.requires =
                    vec![Requirement::AddressNotOnShift { organization, shift: shift.id, email }];
                change.writes.clear();
            }
        }
        Step::Cancel { organization, signup, is_checked } => {
            let signup = state.signups.get(signup as usize)?.clone();
            let signup = Signup { organization: organization_id(organization), ..signup };
            if is_checked {
                change.requires.push(is_confirmed(&signup));
            }
            change.writes.push(cancel(&signup, now));
        }
        Step::Change { signup, is_first, is_erased } => {
            let found = state.signups.get(signup as usize)?;
            let (organization, shift, signup) = (found.organization, found.shift, found.id);
            let secret = if is_first { found.secret } else { Digest::of(&format!("renewed {signup}")) };
            change.requires.push(has_secret(found, secret));
            let secret = Digest::of(&format!("renewed {signup}"));
            change.writes.push(if is_erased {
                erase(found)
            } else {
                Write::RenewSecret { organization, shift, signup, secret, at: now }
            });
        }
        Step::Deliver { version, action } => {
            let notice = Notice { version, ..state.notices.first()?.clone() };
            change = match action {
                0 => rules::delete_notice(&notice),
                1 => rules::replace_notice(&notice, notice.clone().claimed(now)),
                2 => rules::replace_notice(
                    &notice,
                    notice.clone().after_failure(DeliveryFailure::Transient, "450 later", now),
                ),
                _ => rules::replace_notice(
                    &notice,
                    notice.clone().after_failure(DeliveryFailure::Permanent, "550 never", now),
                ),
            };
        }
        Step::Token { organization, number: token, is_revoked: true } => {
            change
                .requires
                .push(Requirement::OrganizationSlugFree(format!("organization-{}", organization + 1)));
            change.writes.push(Write::RevokeToken { token: TokenId::new(uuid(100 * token)), at: now });
        }
        Step::Token { organization, is_revoked: false, .. } => {
            change.writes.push(Write::InsertToken(token(organization, number)));
        }
        Step::Plan(organization, is_free) => {
            let plan = if is_free { Plan::Free } else { Plan::Pro };
            change.writes.push(Write::SetPlan { organization: organization_id(organization), plan });
        }
        Step::Wait(_) | Step::Purge(_) | Step::PurgeDeleted { .. } | Step::Page(_) | Step::SignupPage(_) => {
            return None;
        }
    }
    Some(change)
}

impl State {
    /// Returns the shift at `index`, unless it may be purged.
    fn shift(&self, index: u32) -> Option<&Shift> {
        self.shifts.get(index as usize).filter(|shift| !self.may_be_purged.contains(&shift.id))
    }
}

fn create(state: &State, step: &Step) -> ChangeSet {
    let (number, now) = (state.first_number, at(state.now_s));
    let mut change = ChangeSet::default();
    let Step::Create { organization, day, is_published, ref capacities, common_slug, key, limit } = *step
    else {
        return change;
    };
    let mut event =
        Event { is_published, ..event_on(organization, number, &format!("2027-06-0{}", day + 1), "UTC") };
    if common_slug {
        event.slug = "common".to_owned();
    }
    let organization = event.organization;
    let numbered = (number..).zip(capacities);
    let shifts: Vec<_> = numbered.map(|(number, &capacity)| shift(&event, number, capacity)).collect();
    if let Some((key, life)) = key {
        let key = receipt_key(1, &format!("key-{key}"));
        change.requires.push(Requirement::NoReceipt { key: key.clone(), now });
        let expires_at = at(state.now_s + i64::from(life));
        let receipt = Receipt { expires_at, ..receipt(key, &event, &shifts) };
        change.writes.push(Write::InsertReceipt(Box::new(receipt)));
    }
    change.requires.push(Requirement::EventSlugFree(event.slug.clone()));
    if let Some(limit) = limit {
        change.requires.push(Requirement::ActiveEventsBelow { organization, limit, now });
    }
    let location_data = (number % 2 == 0).then(|| data_of(number));
    change.writes.push(Write::InsertEvent { event: Box::new(event), location_data });
    change.writes.push(Write::InsertShifts(shifts));
    change
}

/// Returns location data that differs for each number.
fn data_of(number: u32) -> LocationData {
    LocationData::new(serde_json::Map::from_iter([("number".to_owned(), number.into())])).unwrap()
}

/// Returns the change set of a step that concerns an event.
async fn event_change(state: &State, reference: &dyn Store, step: &Step) -> Option<ChangeSet> {
    let (number, now) = (state.first_number, at(state.now_s));
    let (organization, event, check) = match *step {
        Step::EditEvent { organization, event, check, .. }
        | Step::DeleteEvent { organization, event, check }
        | Step::SetLocationData { organization, event, check, .. } => (Some(organization), event, check),
        Step::RestoreEvent { organization, event, .. } => (Some(organization), event, None),
        Step::AddShift { event, check, .. } | Step::Ask { event, check, .. } => (None, event, check),
        _ => return None,
    };
    let inserted = state.events.get(event as usize)?;
    let (owner, id) = (inserted.organization, inserted.id);
    let present = match reference.event(owner, id).await.unwrap() {
        Some(event) => event,
        // `None` if the event is purged.
        None => reference.deleted_event(owner, id).await.unwrap()?.event,
    };
    let organization = organization.map_or(owner, organization_id);
    let mut change = ChangeSet::default();
    if let Some(is_stale) = check {
        let version = present.version + u32::from(is_stale);
        change.requires.push(Requirement::EventAtVersion { organization, event: id, version });
    }
    let next = Event { organization, version: present.version + 1, updated_at: now, ..present.clone() };
    let update = |event: Event| Write::UpdateEvent {
        may_change_activity: differs_in_activity(&present, &event),
        event: Box::new(event),
    };
    match *step {
        Step::EditEvent { ref edit, limit, .. } => {
            if let Some(limit) = limit {
                change.requires.push(Requirement::ActiveEventsBelow { organization, limit, now });
            }
            let edited = edited(&next, edit, number);
            if edited.is_cancelled() {
                let by = CancelledBy::EventCancellation;
                let shifts = state.shifts.iter().filter(|shift| shift.event == id);
                change.writes.extend(shifts.map(|shift| Write::CloseShift {
                    organization,
                    shift: shift.id,
                    at: now,
                    by,
                }));
            }
            // A store keeps the fields that never change.
            let sent = Event { slug: format!("changed-{number}"), created_at: at(-1), ..edited };
            change.writes.push(update(sent));
        }
        Step::DeleteEvent { .. } => {
            change.writes.push(Write::DeleteEvent { organization, event: id, at: now });
        }
        Step::RestoreEvent { is_published, is_checked, .. } => {
            if is_checked {
                change.requires.push(Requirement::EventDeleted {
                    organization,
                    event: id,
                    version: next.version,
                });
            }
            change.writes.push(Write::RestoreEvent(Box::new(Event { is_published, ..next })));
        }
        Step::SetLocationData { has_data, .. } => {
            let location_data = has_data.then(|| data_of(number));
            change.writes.push(Write::SetLocationData { organization, event: id, location_data });
        }
        Step::AddShift { capacity, .. } => {
            change.writes.push(Write::InsertShifts(vec![shift(&present, number, capacity)]));
            change.writes.push(update(next));
        }
        Step::Ask { position, .. } => {
            change.writes.push(Write::InsertQuestions(vec![question(&present, number, position)]));
            change.writes.push(update(next));
        }
        _ => return None,
    }
    Some(change)
}

/// Returns whether an update from `before` to `after` can change when the event is active.
fn differs_in_activity(before: &Event, after: &Event) -> bool {
    (before.is_published, before.cancelled_at, &before.dates)
        != (after.is_published, after.cancelled_at, &after.dates)
}

fn edited(event: &Event, edit: &EventEdit, number: u32) -> Event {
    let event = event.clone();
    match *edit {
        EventEdit::Title => Event {
            title: Title::new(&format!("Edit {number}")).unwrap(),
            description: Some(Description::new("Bring gloves.").unwrap()),
            theme: Some(Theme::GoldenHour),
            ..event
        },
        EventEdit::Virtual(is_virtual) => Event { is_virtual, ..event },
        EventEdit::Publish(is_published) => Event { is_published, ..event },
        EventEdit::Move { day, days, zone } => {
            let date = |day| format!("2027-06-0{}", day + 1).parse().unwrap();
            let last = (days > 0).then(|| date(day + days));
            Event { dates: EventDates { first: Day::new(date(day), zone.parse().unwrap()), last }, ..event }
        }
        EventEdit::Cancel => Event {
            cancelled_at: Some(event.updated_at),
            cancellation_reason: Some(CancellationReason::new("Flood").unwrap()),
            ..event
        },
    }
}
