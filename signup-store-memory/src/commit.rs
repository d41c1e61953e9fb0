//! Checks requirements and applies writes. All checks precede the first write, so there is no rollback.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use signup_core::{
    CancelledBy, Digest, Event, EventId, LocationData, Notice, NoticeId, Occupancy, OrganizationId, Question,
    QuestionId, Receipt, Refusal, Requirement, Shift, ShiftId, Signup, SignupId, SignupStatus, Token, Write,
};

use crate::tables::{SignupList, Tables};

impl Tables {
    pub(crate) fn check(&self, requirement: &Requirement) -> Result<(), Refusal> {
        match requirement {
            Requirement::NoOrganization => {
                require(self.organizations.is_empty(), || Refusal::OrganizationExists)
            }
            Requirement::OrganizationSlugFree(slug) => {
                require(!self.organization_slugs.contains_key(slug), || Refusal::SlugTaken)
            }
            Requirement::EventSlugFree(slug) => {
                require(!self.event_slugs.contains_key(slug), || Refusal::SlugTaken)
            }
            Requirement::NoReceipt { key, now } => match self.receipts.get(key) {
                Some(receipt) if receipt.is_live(*now) => Err(Refusal::Receipt(Box::new(receipt.clone()))),
                _ => Ok(()),
            },
            Requirement::ShiftAtVersion { organization, shift, version } => {
                let shift = self.live_shift(*organization, *shift);
                require(shift.is_some_and(|shift| shift.version == *version), || Refusal::ShiftChanged)
            }
            Requirement::EventAtVersion { organization, event, version } => {
                let event = self.event(*organization, *event);
                require(event.is_some_and(|event| event.version == *version), || Refusal::EventChanged)
            }
            Requirement::EventDeleted { organization, event, version } => {
                let found = self.deleted_event(*organization, *event);
                require(found.is_some_and(|found| found.event.version == *version), || Refusal::EventChanged)
            }
            Requirement::QuestionUnanswered { organization, event, question } => {
                let has_answer = |signup: &Signup| {
                    signup.organization == *organization
                        && signup.answers.iter().any(|answer| answer.question_id == *question)
                };
                let mut signups = self.listed(&SignupList::Event(*event), None);
                require(!signups.any(has_answer), || Refusal::QuestionAnswered)
            }
            Requirement::ActiveEventsBelow { organization, limit, now } => {
                let count = u32::try_from(self.active_events(*organization, *now)).unwrap_or(u32::MAX);
                require(count < *limit, || Refusal::ActiveEvents { count })
            }
            Requirement::ShiftsAreEmpty { organization, event, shifts } => {
                let has_signups = |shift: &ShiftId| {
                    let shift = self.stored_shift(*organization, *shift);
                    shift.is_some_and(|shift| shift.event == *event && shift.occupancy.filled > 0)
                };
                require(!shifts.iter().any(has_signups), || Refusal::ShiftHasSignups)
            }
            Requirement::ShiftHasRoom { organization, shift } => {
                let shift = self.live_shift(*organization, *shift);
                let shift = shift.filter(|shift| !self.closed_shifts.contains(&shift.id));
                require(shift.is_some_and(|shift| shift.occupancy.has_room()), || Refusal::ShiftFull)
            }
            Requirement::AddressNotOnShift { organization, shift, email } => {
                let id = self.places.get(&(*shift, email.key()));
                let signup = id.and_then(|id| self.signups.get(id));
                match signup.filter(|signup| signup.organization == *organization) {
                    Some(signup) => Err(Refusal::AddressOnShift(Box::new(signup.clone()))),
                    None => Ok(()),
                }
            }
            Requirement::SignupConfirmed { organization, signup, .. } => {
                let signup = self.stored_signup(*organization, *signup);
                let is_confirmed = signup.is_some_and(|signup| signup.status == SignupStatus::Confirmed);
                require(is_confirmed, || Refusal::SignupNotConfirmed)
            }
            Requirement::SignupHasSecret { organization, signup, secret, .. } => {
                let signup = self.stored_signup(*organization, *signup);
                let is_same = signup.is_some_and(|signup| {
                    signup.status == SignupStatus::Confirmed && signup.secret == *secret
                });
                require(is_same, || Refusal::SignupChanged)
            }
            Requirement::NoticeAtVersion { organization, notice, version } => {
                let notice = self.notice(*organization, *notice);
                require(notice.is_some_and(|notice| notice.version == *version), || Refusal::NoticeChanged)
            }
        }
    }

    pub(crate) fn apply(&mut self, write: Write) {
        match write {
            Write::InsertOrganization(organization) => {
                self.organization_slugs.insert(organization.slug.clone(), organization.id);
                self.organizations.insert(organization.id, organization);
            }
            Write::SetPlan { organization, plan } => {
                if let Some(found) = self.organizations.get_mut(&organization) {
                    found.plan = plan;
                }
            }
            Write::InsertToken(token) => self.insert_token(token),
            Write::RevokeToken { token, at } => {
                if let Some(token) = self.tokens.get_mut(&token) {
                    token.revoked_at.get_or_insert(at);
                }
            }
            Write::InsertEvent { event, location_data } => self.insert_event(*event, location_data),
            Write::UpdateEvent { event, .. } => {
                if self.event(event.organization, event.id).is_some() {
                    self.update_event(*event);
                }
            }
            Write::SetLocationData { organization, event, location_data } => {
                if self.event(organization, event).is_some() {
                    self.set_location_data(event, location_data);
                }
            }
            Write::DeleteEvent { organization, event, at } => {
                if let Some(event) = self.event(organization, event).cloned() {
                    self.unindex_event(&event);
                    self.deleted_events.insert(event.id, at);
                }
            }
            Write::RestoreEvent(event) => {
                if let Some(found) = self.stored_event(event.organization, event.id).cloned() {
                    if self.deleted_events.remove(&found.id).is_some() {
                        self.index_event(&found);
                    }
                    self.update_event(*event);
                }
            }
            Write::InsertShifts(shifts) => shifts.into_iter().for_each(|shift| self.insert_shift(shift)),
            Write::InsertQuestions(questions) => {
                questions.into_iter().for_each(|question| self.insert_question(question));
            }
            Write::UpdateQuestion(question) => self.update_question(question),
            Write::DeleteQuestion { organization, event, question } => {
                let found = self.questions.get(&question).filter(|found| found.organization == organization);
                if found.is_some_and(|found| found.event == event) {
                    self.delete_question(question);
                }
            }
            Write::UpdateShift(shift) => self.update_shift(*shift),
            Write::DeleteShift { organization, shift, at } => {
                if self.stored_shift(organization, shift).is_some() {
                    self.deleted_shifts.entry(shift).or_insert(at);
                }
            }
            Write::InsertSignup(signup) => self.insert_signup(*signup),
            Write::CancelSignup { organization, signup, at, by, .. } => {
                if self.stored_signup(organization, signup).is_some() {
                    self.cancel_signup(signup, at, by);
                }
            }
            Write::CloseShift { organization, shift, at, by } => {
                if self.stored_shift(organization, shift).is_some() {
                    let confirmed = self.confirmed_of_shift.get(&shift).cloned().unwrap_or_default();
                    confirmed.into_iter().for_each(|signup| self.cancel_signup(signup, at, by));
                    self.closed_shifts.insert(shift);
                }
            }
            Write::RenewSecret { organization, signup, secret, at, .. } => {
                if let Some(former) = self.stored_signup(organization, signup).map(|signup| signup.secret) {
                    self.renew_secret(signup, former, secret, at);
                }
            }
            Write::EraseSignup { organization, signup, .. } => {
                if self.stored_signup(organization, signup).is_some() {
                    self.erase_signup(signup);
                }
                self.delete_notices_about(organization, signup);
            }
            Write::InsertReceipt(receipt) => self.insert_receipt(*receipt),
            Write::InsertNotices(notices) => notices.into_iter().for_each(|notice| self.put_notice(notice)),
            Write::UpdateNotice(notice) => self.update_notice(*notice),
            Write::DeleteNotice { organization, notice } => {
                if self.notice(organization, notice).is_some() {
                    self.delete_notice(notice);
                }
            }
        }
    }

    fn insert_token(&mut self, token: Token) {
        self.token_digests.insert(token.digest, token.id);
        self.tokens.insert(token.id, token);
    }

    fn insert_event(&mut self, event: Event, location_data: Option<LocationData>) {
        self.index_event(&event);
        self.set_location_data(event.id, location_data);
        self.event_slugs.insert(event.slug.clone(), event.id);
        self.events.insert(event.id, event);
    }

    /// Updates an event that is not deleted, except the fields that never change. Its shifts follow.
    fn update_event(&mut self, mut event: Event) {
        let Some(found) = self.events.remove(&event.id) else { return };
        self.unindex_event(&found);
        event.organization = found.organization;
        event.slug = found.slug;
        event.created_at = found.created_at;
        self.index_event(&event);
        for id in self.shifts_of_event.get(&event.id).into_iter().flatten() {
            if let Some(shift) = self.shifts.get_mut(id) {
                shift.day = event.dates.first.clone();
                shift.is_virtual = event.is_virtual;
            }
        }
        self.events.insert(event.id, event);
    }

    fn set_location_data(&mut self, event: EventId, location_data: Option<LocationData>) {
        match location_data {
            Some(data) => drop(self.location_data.insert(event, data)),
            None => drop(self.location_data.remove(&event)),
        }
    }

    /// Removes an event without shifts and questions from all tables.
    pub(crate) fn remove_event(&mut self, id: EventId) {
        if let Some(event) = self.events.remove(&id) {
            self.unindex_event(&event);
            self.event_slugs.remove(&event.slug);
            self.location_data.remove(&id);
            self.deleted_events.remove(&id);
        }
    }

    fn insert_shift(&mut self, mut shift: Shift) {
        if let Some(event) = self.events.get(&shift.event) {
            shift.day = event.dates.first.clone();
            shift.is_virtual = event.is_virtual;
        }
        self.shifts_of_event.entry(shift.event).or_default().insert(shift.id);
        self.shifts.insert(shift.id, shift);
    }

    /// Removes a shift without sign-ups and notices from all tables.
    pub(crate) fn remove_shift(&mut self, id: ShiftId) {
        if let Some(shift) = self.shifts.remove(&id) {
            remove_from(&mut self.shifts_of_event, &shift.event, &id);
            self.confirmed_of_shift.remove(&id);
            self.deleted_shifts.remove(&id);
            self.closed_shifts.remove(&id);
        }
    }

    fn insert_question(&mut self, question: Question) {
        self.question_positions.insert((question.event, question.position, question.id));
        self.questions.insert(question.id, question);
    }

    fn update_question(&mut self, question: Question) {
        let Some(found) = self.questions.get_mut(&question.id) else { return };
        if (found.organization, found.event) == (question.organization, question.event) {
            self.question_positions.remove(&(found.event, found.position, found.id));
            self.question_positions.insert((question.event, question.position, question.id));
            *found = question;
        }
    }

    pub(crate) fn delete_question(&mut self, id: QuestionId) {
        if let Some(question) = self.questions.remove(&id) {
            self.question_positions.remove(&(question.event, question.position, id));
        }
    }

    fn update_shift(&mut self, shift: Shift) {
        if self.live_shift(shift.organization, shift.id).is_none() {
            return;
        }
        let Some(found) = self.shifts.get_mut(&shift.id) else { return };
        found.title = shift.title;
        found.location = shift.location;
        found.hours = shift.hours;
        found.occupancy = Occupancy { capacity: shift.occupancy.capacity, ..found.occupancy };
        found.version = shift.version;
        found.updated_at = shift.updated_at;
    }

    fn insert_signup(&mut self, signup: Signup) {
        if let Some(shift) = self.shifts.get_mut(&signup.shift) {
            shift.occupancy.filled += 1;
        }
        self.places.insert((signup.shift, signup.email.key()), signup.id);
        self.signup_secrets.insert(signup.secret, signup.id);
        self.confirmed_of_shift.entry(signup.shift).or_default().insert(signup.id);
        for list in SignupList::all(&signup) {
            self.signup_lists.entry(list).or_default().insert(signup.id);
        }
        self.signups.insert(signup.id, signup);
    }

    fn cancel_signup(&mut self, id: SignupId, at: Timestamp, by: CancelledBy) {
        let Some(signup) =
            self.signups.get_mut(&id).filter(|signup| signup.status == SignupStatus::Confirmed)
        else {
            return;
        };
        signup.status = SignupStatus::Cancelled;
        signup.cancelled_at = Some(at);
        signup.cancelled_by = Some(by);
        let signup = signup.clone();
        self.free_place(&signup);
    }

    fn free_place(&mut self, signup: &Signup) {
        self.places.remove(&(signup.shift, signup.email.key()));
        if let Some(confirmed) = self.confirmed_of_shift.get_mut(&signup.shift) {
            confirmed.remove(&signup.id);
        }
        if let Some(shift) = self.shifts.get_mut(&signup.shift) {
            shift.occupancy.filled -= 1;
        }
    }

    fn renew_secret(&mut self, id: SignupId, former: Digest, secret: Digest, at: Timestamp) {
        self.signup_secrets.remove(&former);
        self.signup_secrets.insert(secret, id);
        if let Some(signup) = self.signups.get_mut(&id) {
            signup.secret = secret;
            signup.mailed_at = at;
        }
    }

    pub(crate) fn erase_signup(&mut self, id: SignupId) {
        let Some(signup) = self.signups.remove(&id) else { return };
        if signup.status == SignupStatus::Confirmed {
            self.free_place(&signup);
        }
        self.signup_secrets.remove(&signup.secret);
        for list in SignupList::all(&signup) {
            remove_from(&mut self.signup_lists, &list, &id);
        }
    }

    fn delete_notices_about(&mut self, organization: OrganizationId, signup: SignupId) {
        let is_about =
            |notice: &&Notice| notice.organization == organization && notice.cause.signup() == Some(signup);
        let notices: Vec<_> = self.notices.values().filter(is_about).map(|notice| notice.id).collect();
        notices.into_iter().for_each(|notice| self.delete_notice(notice));
    }

    fn put_notice(&mut self, notice: Notice) {
        if notice.failure.is_none() {
            self.due.insert((notice.due_at, notice.id));
        }
        self.notices_of_shift.insert((notice.shift, notice.id));
        self.notices.insert(notice.id, notice);
    }

    fn update_notice(&mut self, notice: Notice) {
        let Some(found) = self.notice(notice.organization, notice.id) else { return };
        let mut updated = found.clone();
        updated.cause = notice.cause;
        updated.version = notice.version;
        updated.attempts = notice.attempts;
        updated.due_at = notice.due_at;
        updated.failure = notice.failure;
        self.delete_notice(updated.id);
        self.put_notice(updated);
    }

    pub(crate) fn delete_notice(&mut self, id: NoticeId) {
        if let Some(notice) = self.notices.remove(&id) {
            self.due.remove(&(notice.due_at, id));
            self.notices_of_shift.remove(&(notice.shift, id));
        }
    }

    fn insert_receipt(&mut self, receipt: Receipt) {
        if let Some(former) = self.receipts.remove(&receipt.key) {
            self.receipt_ends.remove(&(former.expires_at, former.key));
        }
        self.receipt_ends.insert((receipt.expires_at, receipt.key.clone()));
        self.receipts.insert(receipt.key.clone(), receipt);
    }
}

/// Removes an id from the set of `key`, and the set if it is empty then.
fn remove_from<K: Ord, Id: Ord>(sets: &mut BTreeMap<K, BTreeSet<Id>>, key: &K, id: &Id) {
    if let Some(set) = sets.get_mut(key) {
        set.remove(id);
        if set.is_empty() {
            sets.remove(key);
        }
    }
}

fn require(holds: bool, refusal: impl FnOnce() -> Refusal) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(refusal()) }
}
