//! Signing up: a form for shifts of one event, and the people of one address.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Shared, Volunteers};
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::id::{OrganizationId, ShiftId, SignupId};
use crate::input::NewSignup;
use crate::question::Question;
use crate::rules::{self, KnownPlaces, Place, ShiftOutcome, SignUpFacts};
use crate::secret;
use crate::shift::{ScheduledShift, Shift, sort_by_running_order};
use crate::signup::{Signup, SignupStatus};
use crate::store::{Deleted, EventInFull, RecordKey, Refusal, SignupQuery, Total};

/// The result of a form: what each of its shifts gave.
///
/// Show the volunteer the same text whether or not a sign-up is new. Another text, or the name in a sign-up, would tell a stranger
/// who is signed up.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a shift may have given no place"]
#[non_exhaustive]
pub struct SignedUp {
    /// The shifts of the form in running order, and then those that were deleted meanwhile.
    pub shifts: Vec<ShiftOutcome>,
}

impl SignedUp {
    /// Returns the places, by shift and then by person, if every shift has given its places.
    ///
    /// # Errors
    /// Returns why the first shift that gave none did so.
    pub fn into_places(self) -> Result<Vec<Place>> {
        let places: Result<Vec<_>> = self.shifts.into_iter().map(|shift| shift.places).collect();
        Ok(places?.into_iter().flatten().collect())
    }
}

/// The form with which people of one address sign up for shifts of one event. Only a published event that is not cancelled has
/// forms.
///
/// [`Volunteers::form`] and [`Volunteers::form_of`] return forms. A form is a snapshot: [`sign_up`](Self::sign_up) decides on
/// the records as they are when it commits.
#[derive(Debug, Clone)]
pub struct SignUpForm {
    shared: Arc<Shared>,
    facts: SignUpFacts,
}

impl Volunteers {
    /// Returns the form of 1 to [`NewSignup::MAX_SHIFTS`] shifts of the event with this slug. A shift that is given twice counts
    /// once.
    ///
    /// # Errors
    /// - [`Error::NotFound`] for an unknown slug, a draft, or a shift that the event never had. A shift that was deleted is a part
    ///   of the form, and takes nobody.
    /// - [`Error::EventCancelled`].
    /// - [`Error::Invalid`] without a shift, and with too many shifts.
    ///
    /// # Example
    ///
    /// [`NewSignup`] has an example with typed answers. This one takes the fields of a form on a page:
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
    /// use signup_core::{SignUpInput, VolunteerInput};
    ///
    /// let form = service.volunteers().form(&created.event.slug, [created.shifts[0].id]).await?;
    /// let mut typed = SignUpInput::new("Ada Lovelace", "ada@example.org");
    /// typed.people.push(VolunteerInput::new("Byron Lovelace"));
    /// let places = form.sign_up(typed.check(form.questions(), form.shifts())?).await?.into_places()?;
    /// assert!(places.len() == 2 && places[0].is_new);
    /// # Ok(()) }) }
    /// ```
    pub async fn form(&self, slug: &str, shifts: impl IntoIterator<Item = ShiftId>) -> Result<SignUpForm> {
        let found = self.shared.store.event_by_slug(slug).await?;
        self.form_in(found, shifts.into_iter().collect()).await
    }

    /// Returns the form of shifts of one event of this organization, for a program that does not know the slug of the event.
    ///
    /// # Errors
    /// Returns the errors of [`form`](Self::form).
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, created, .. }| {
    /// use signup_core::{Error, NewSignup};
    ///
    /// let form = service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?;
    /// let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// match form.sign_up(ada).await {
    ///     Ok(signed_up) => {
    ///         for outcome in signed_up.shifts {
    ///             match outcome.places {
    ///                 Ok(_) => println!("You have a place on {}.", outcome.shift.title),
    ///                 Err(error) => println!("{}: {error}", outcome.shift.title),
    ///             }
    ///         }
    ///     }
    ///     Err(Error::Invalid(faults)) => faults.iter().for_each(|fault| println!("{fault}")),
    ///     Err(error) => return Err(error.into()),
    /// }
    /// # Ok(()) }) }
    /// ```
    pub async fn form_of(
        &self,
        organization: OrganizationId,
        shifts: impl IntoIterator<Item = ShiftId>,
    ) -> Result<SignUpForm> {
        let shifts: BTreeSet<_> = shifts.into_iter().collect();
        let first = *shifts.first().ok_or_else(no_shift)?;
        let key = RecordKey::Shift(organization, first);
        self.form_in(self.shared.store.event_in_full(&key).await?, shifts).await
    }

    async fn form_in(&self, full: Option<EventInFull>, chosen: BTreeSet<ShiftId>) -> Result<SignUpForm> {
        let EventInFull { event, shifts, questions, .. } = full.ok_or(Error::NotFound)?;
        let has_forms = rules::check_form(&event);
        if has_forms == Err(Error::NotFound) {
            return Err(Error::NotFound);
        }
        let max = NewSignup::MAX_SHIFTS;
        if chosen.len() > max {
            let kind = FaultKind::TooMany { items: "shifts in one form", max, present: 0 };
            return Err(Faults::one("shifts", kind).into());
        }
        let is_empty = chosen.is_empty();
        let shifts: Vec<_> = shifts.into_iter().filter(|shift| chosen.contains(&shift.id)).collect();
        let mut deleted = vec![];
        for id in chosen {
            if shifts.iter().all(|shift| shift.id != id) {
                let key = RecordKey::Shift(event.organization, id);
                let found = self.shared.store.record(&key, Deleted::Included).await?;
                let found = found.and_then(|record| Shift::try_from(record).ok());
                let found = found.filter(|shift| shift.event == event.id).ok_or(Error::NotFound)?;
                deleted.push(ScheduledShift::of(found, &event));
            }
        }
        has_forms?;
        if is_empty {
            return Err(no_shift());
        }
        sort_by_running_order(&mut deleted);
        let facts = SignUpFacts { event, shifts, deleted, questions };
        Ok(SignUpForm { shared: Arc::clone(&self.shared), facts })
    }
}

fn no_shift() -> Error {
    Faults::one("shifts", FaultKind::Required).into()
}

impl SignUpForm {
    /// Returns the event.
    pub const fn event(&self) -> &Event {
        &self.facts.event
    }

    /// Returns the shifts of the form in running order, without those that are deleted.
    #[doc(alias = "slots")]
    pub fn shifts(&self) -> &[ScheduledShift] {
        &self.facts.shifts
    }

    /// Returns the questions of the event by position.
    pub fn questions(&self) -> &[Question] {
        &self.facts.questions
    }

    /// Takes a place on each shift for each person, and queues the mails that confirm the places.
    ///
    /// Each shift is decided by itself: it gives a place to every person of the form, or to none. If the form
    /// [joins the waiting list](NewSignup::joins_waitlist), some or all may wait instead. The places of all shifts are taken
    /// in one commit. Simultaneous sign-ups never take `filled` above the capacity.
    ///
    /// A person, by address and [name](crate::PersonName::key), holds at most one place on a shift, and an address at most
    /// [`Signup::MAX_PER_ADDRESS`](crate::Signup::MAX_PER_ADDRESS): over that, the shift counts as full. Signing up again mails the
    /// volunteer what place they have, [at most once an hour](crate::Signup::MAIL_AGAIN_AFTER), also if the shift takes nobody.
    /// That mail carries another link, and earlier links keep working. The outcome has the existing sign-up.
    ///
    /// A form of several people asks for as many places, even for people who have one. So the outcome does not reveal who is signed
    /// up.
    ///
    /// If the questions have changed since the form was read, the answers are checked against the present ones. Answers to
    /// questions that were deleted since are ignored.
    ///
    /// The call is safe to retry. If the first call was applied, a retry takes nothing, and queues a mail about the places.
    ///
    /// [`Volunteers::form_of`] has an example.
    ///
    /// # Errors
    /// - [`Error::Invalid`] with every fault of the people, the answers and the shifts, such as two shifts that overlap. An answer
    ///   to a question that the form never had is a fault of the kind [`Unknown`](crate::FaultKind::Unknown).
    /// - [`Error::NotFound`] or [`Error::EventCancelled`] if the event has changed since the form was read.
    /// - [`Error::Store`] if the store fails. It is then unknown whether the places were taken.
    /// - [`Error::Contended`] if other changes of the same shifts kept the sign-up from committing for 10 seconds.
    pub async fn sign_up(&self, new: NewSignup) -> Result<SignedUp> {
        new.check_known(&self.facts.questions)?;
        let mut full = BTreeSet::new();
        loop {
            match self.try_sign_up(&new, &full).await? {
                Ok(shifts) => return Ok(SignedUp { shifts }),
                // The shift is left out, and the rest is decided again.
                Err(Refusal::NotBelow {
                    total: Total::Filled(_, shift) | Total::Waiting(_, shift) | Total::PlacesOf(_, shift, _),
                    ..
                }) if full.insert(shift) => {}
                Err(refusal) => return Err(Error::Refused(refusal.into())),
            }
        }
    }

    /// Signs up for all shifts but those that are known to be full.
    ///
    /// Reads what the address has already before each attempt, also before the first. So a form takes the same reads of places and
    /// one commit, even if every person has a place already. What the commit writes differs.
    async fn try_sign_up(
        &self,
        new: &NewSignup,
        full: &BTreeSet<ShiftId>,
    ) -> Result<std::result::Result<Vec<ShiftOutcome>, Refusal>> {
        let is_first = &AtomicBool::new(full.is_empty());
        self.shared
            .commit(&Actor::Volunteer, move |now| async move {
                let sign_up = |facts: &SignUpFacts, known: &KnownPlaces| {
                    let places = new.people.len() * facts.shifts.len();
                    let ids = std::iter::repeat_with(|| SignupId::new(secret::new_uuid(now))).take(places);
                    rules::sign_up(facts, new, known, ids.collect(), now)
                };
                if is_first.swap(false, Ordering::Relaxed) {
                    // A shift that was full may have room by now.
                    let known = self.known_places(&self.facts, new).await?;
                    match sign_up(&self.facts, &known) {
                        // The questions or the shifts may have changed since the form was read.
                        Err(Error::Invalid(_)) => {}
                        decided => return decided,
                    }
                }
                let facts = self.present_facts().await?;
                let known = self.known_places(&facts, new).await?;
                let takes_all = |shift: &&ScheduledShift| {
                    !full.contains(&shift.id) && rules::takes_all(&facts.event, shift, new, now)
                };
                let full =
                    facts.shifts.iter().filter(|shift| !takes_all(shift)).map(|shift| shift.id).collect();
                sign_up(&facts, &KnownPlaces { full, ..known })
            })
            .await
    }

    async fn present_facts(&self) -> Result<SignUpFacts> {
        let key = RecordKey::Event(self.facts.event.organization, self.facts.event.id);
        let full = self.shared.store.event_in_full(&key).await?;
        let EventInFull { event, shifts, questions, .. } = full.ok_or(Error::NotFound)?;
        let SignUpFacts { shifts: read, deleted, .. } = &self.facts;
        let is_there = |id: ShiftId| shifts.iter().any(|shift| shift.id == id);
        let deleted = read.iter().chain(deleted).filter(|shift| !is_there(shift.id)).cloned().collect();
        let is_chosen = |shift: &ScheduledShift| read.iter().any(|read| read.id == shift.id);
        Ok(SignUpFacts { shifts: shifts.into_iter().filter(is_chosen).collect(), event, deleted, questions })
    }

    /// Reads which people of the form have a place already, and the recipient of their address.
    async fn known_places(&self, facts: &SignUpFacts, new: &NewSignup) -> Result<KnownPlaces> {
        let (owner, event) = (facts.event.organization, facts.event.id);
        let keys: Vec<_> = new.people.iter().map(|person| person.name.key()).collect();
        let mut held = BTreeMap::new();
        for shift in &facts.shifts {
            let of_address = SignupQuery::new().of_shift(shift.id).email(new.email.clone());
            let of_address = of_address.limit(Signup::MAX_PER_ADDRESS);
            // Those that wait first: one that is promoted meanwhile is then read again, as it is.
            let waiting = (shift.occupancy.waitlisted > 0).then_some(SignupStatus::Waitlisted);
            for status in waiting.into_iter().chain([SignupStatus::Confirmed]) {
                let query = of_address.clone().status(status);
                for signup in self.shared.store.signups(owner, &query).await?.items {
                    let index = keys.iter().position(|key| *key == signup.name.key());
                    held.extend(index.map(|index| ((shift.id, index), signup)));
                }
            }
        }
        let recipient = self.shared.recipient(owner, event, &new.email).await?;
        Ok(KnownPlaces { held, recipient, ..KnownPlaces::default() })
    }
}
