//! Races: one call in each of two processes on one store. Both calls read before either commits.
//!
//! Each race is run three times: the first process commits first, the second process commits first, or both commit at once. The
//! calls go through the handles of a [`Service`], so the rules and the locks of the store are tested together. There is one race
//! of each kind: of edits, members, invitations and sign-ins. The rules' own tests prove what each decision requires.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Barrier;

use crate::*;

/// The store of one process. In a race, the next commit waits for the next commit of the other process.
#[derive(Debug)]
struct Process {
    store: Arc<dyn Store>,
    next: Mutex<Option<(Arc<Barrier>, Place)>>,
}

/// When a commit of a race begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the other one begins.
    First,
    /// After the other one has ended.
    Second,
    /// At the same time as the other one.
    Beside,
}

#[async_trait]
impl Wrapper for Process {
    fn inner(&self) -> &dyn Store {
        &self.store
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let next = self.next.lock().unwrap().take();
        let Some((meeting, place)) = next else { return self.store.commit(change).await };
        // Both processes have read.
        meeting.wait().await;
        if place == Place::Second {
            meeting.wait().await;
        }
        let committed = self.store.commit(change).await;
        if place == Place::First {
            meeting.wait().await;
        }
        committed
    }
}

/// Two processes on a store, and an organization without members.
struct Race {
    processes: [Arc<Wrapped<Process>>; 2],
    services: [Service; 2],
    places: [Place; 2],
    organization: OrganizationId,
}

impl Race {
    /// Returns a race for each order of the two commits.
    async fn each(store: &Arc<dyn Store>) -> Vec<Self> {
        let mut races = vec![];
        for places in
            [[Place::First, Place::Second], [Place::Second, Place::First], [Place::Beside, Place::Beside]]
        {
            let process = || Arc::new(Wrapped(Process { store: Arc::clone(store), next: Mutex::default() }));
            let processes = [process(), process()];
            let services = processes
                .each_ref()
                .map(|process| Service::shared(Arc::clone(process) as Arc<dyn Store>).with_clock(TokioClock));
            let new = NewOrganization::new("Riverside".parse().unwrap());
            let organization = services[0].admin().create_organization(new).await.unwrap().id;
            races.push(Self { processes, services, places, organization });
        }
        races
    }

    /// Runs one call in each process.
    ///
    /// # Panics
    /// Panics if one of the calls does not commit.
    async fn run<A: Send + 'static, B: Send + 'static>(
        &self,
        here: impl Future<Output = A> + Send + 'static,
        there: impl Future<Output = B> + Send + 'static,
    ) -> (A, B) {
        let meeting = Arc::new(Barrier::new(2));
        for (process, place) in self.processes.iter().zip(self.places) {
            *process.0.next.lock().unwrap() = Some((Arc::clone(&meeting), place));
        }
        let (here, there) = (tokio::spawn(here), tokio::spawn(there));
        let both = async { (here.await.unwrap(), there.await.unwrap()) };
        tokio::time::timeout(Duration::from_secs(20), both).await.unwrap()
    }

    /// Returns the process that commits first, `None` if both commit at once.
    fn first(&self) -> Option<usize> {
        self.places.iter().position(|place| *place == Place::First)
    }

    /// Returns an address that no other race uses.
    fn address(&self, name: &str) -> EmailAddress {
        format!("{name}-{}@example.org", self.organization).parse().unwrap()
    }

    fn invitation(&self, name: &str, role: Role) -> NewInvitation {
        NewInvitation::new(self.address(name), name.parse().unwrap(), role)
    }

    /// Makes a member, who is signed in at a process.
    async fn member(&self, process: usize, name: &str, role: Role) -> SignedIn {
        let new = self.invitation(name, role);
        let (_, link) =
            self.services[0].admin().invite_person(self.organization, new).await.unwrap().unwrap();
        let member = Acceptance::Member { name: None };
        self.services[process].people().accept(&link, None, member).await.unwrap().unwrap().0
    }

    /// Requests a code for a member in a browser. Returns the code in the queued mail.
    async fn code(&self, browser: &Secret, name: &str) -> Code {
        let (service, address) = (&self.services[0], self.address(name));
        service.people().request_code(&address, browser, [192, 0, 2, 7].into()).await.unwrap();
        let mut due = service.outbox().due(100).await.unwrap().into_iter();
        let code = due.find_map(|notice| match notice.cause {
            NoticeCause::SignInCode { email, code, .. } if email == address => Some(code),
            _ => None,
        });
        code.unwrap()
    }

    /// Returns the members with their roles, the highest role first.
    async fn members(&self) -> Vec<(PersonId, Role)> {
        let members = self.services[0].admin().members(self.organization).await.unwrap();
        members.into_iter().map(|(membership, person)| (person.id, membership.role)).collect()
    }
}

/// Returns the session of a person who has one membership.
fn session(person: &SignedIn) -> Session {
    person.session(&person.memberships()[0].1.slug).unwrap()
}

/// Gives a member another role, or removes the member.
async fn change(session: Session, person: PersonId, role: Option<Role>) -> Result<()> {
    match role {
        Some(role) => session.change_role(person, role).await.map(drop),
        None => session.remove_member(person).await,
    }
}

/// If two owners remove or lower each other at once, only the first commit succeeds. The organization keeps one owner.
pub async fn two_owners_who_remove_or_lower_each_other_leave_one_owner(store: Arc<dyn Store>) {
    for roles in [[None, None], [Some(Role::Admin), Some(Role::Organizer)]] {
        for race in Race::each(&store).await {
            let (ada, bo) =
                (race.member(0, "ada", Role::Owner).await, race.member(1, "bo", Role::Owner).await);
            let ids = [ada.person().id, bo.person().id];
            let here = change(session(&ada), ids[1], roles[0]);
            let (here, there) = race.run(here, change(session(&bo), ids[0], roles[1])).await;
            let winner = usize::from(here.is_err());
            let refused =
                if roles[winner].is_none() { Error::NotFound } else { Error::MissingRole(Role::Owner) };
            assert_eq!([&here, &there][1 - winner], &Err(refused), "{roles:?} {:?}", race.places);
            let owners = race.members().await.into_iter().filter(|(_, role)| *role == Role::Owner);
            assert_eq!(owners.map(|(id, _)| id).collect::<Vec<_>>(), [ids[winner]]);
        }
    }
}

/// If an event loses its last day while a shift moves to that day, or is added there, only the first commit succeeds. No
/// shift is outside of its event.
pub async fn an_event_loses_no_day_that_gets_a_shift_at_once(store: Arc<dyn Store>) {
    for is_added in [false, true] {
        for race in Race::each(&store).await {
            let session = async |process: usize| {
                race.services[process].session_for(race.organization, Scopes::all()).await.unwrap()
            };
            let (here, there) = (session(0).await, session(1).await);
            let shift = || NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap());
            let new = NewEvent::new("Camp".parse().unwrap(), date(2099, 6, 5), "UTC".parse().unwrap());
            let created = here.create_event(new.end_date(date(2099, 6, 6)).shift(shift())).await.unwrap();
            let (event, first) = (created.event.id, created.shifts[0].id);
            let shorten =
                async move { here.patch_event(event, EventPatch::new().clear_end_date()).await.map(drop) };
            let second_day = Hours::ALL_DAY.on_day(2).unwrap();
            let fill = async move {
                if is_added {
                    there.add_shifts(event, vec![shift().hours(second_day)]).await.map(drop)
                } else {
                    there.patch_shift(first, ShiftPatch::new().day(2)).await.map(drop)
                }
            };
            let outcomes: [Result<()>; 2] = race.run(shorten, fill).await.into();
            let winner = race.first().unwrap_or_else(|| usize::from(outcomes[0].is_err()));
            let day =
                if is_added { FaultPath::new().field("shifts").index(0).field("day") } else { "day".into() };
            let refusal = match winner {
                0 => Faults::one(day, FaultKind::NoSuchDay { days: 1 }),
                _ => Faults::one("end_date", FaultKind::LeavesOutDay { day: 2 }),
            };
            assert_eq!(outcomes[winner], Ok(()), "{:?}", race.places);
            assert_eq!(outcomes[1 - winner], Err(Error::Invalid(refusal)), "{:?}", race.places);
        }
    }
}

/// If a member is lowered and invites at once, no invitation is left: it would work again after the member is raised.
pub async fn an_invitation_of_a_member_who_is_lowered_at_once_is_void_for_good(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        let ada = session(&race.member(0, "ada", Role::Owner).await);
        let bo = race.member(1, "bo", Role::Admin).await;
        let (inviter, new) = (session(&bo), race.invitation("cy", Role::Organizer));
        let lower = change(ada.clone(), bo.person().id, Some(Role::Organizer));
        let (lowered, invited) = race.run(lower, async move { inviter.invite(new).await }).await;
        assert_eq!(lowered, Ok(()), "{:?}", race.places);
        if let Some(first) = race.first() {
            assert_eq!(invited.is_ok(), first == 1, "{:?}", race.places);
        }
        assert!(invited.is_ok() || invited == Err(Error::MissingRole(Role::Admin)), "{invited:?}");
        change(ada.clone(), bo.person().id, Some(Role::Admin)).await.unwrap();
        assert_eq!(ada.invitations().await.unwrap(), [], "{:?}", race.places);
    }
}

/// Signing out everywhere ends each sign-in that was committed before it, and no later sign-in.
pub async fn signing_out_everywhere_ends_a_simultaneous_sign_in_or_comes_before_it(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        let ada = race.member(0, "ada", Role::Organizer).await;
        let (browser, people) = (Secret::generate(), race.services[1].people());
        let code = race.code(&browser, "ada").await;
        let sign_in = async move { people.sign_in(&browser, &code, None).await };
        let (out, entered) = race.run(async move { ada.sign_out_everywhere().await }, sign_in).await;
        assert_eq!(out, Ok(()), "{:?}", race.places);
        let ended = match entered {
            Ok((_, secret)) => race.services[0].people().signed_in(&secret).await.err(),
            Err(error) => Some(error),
        };
        match race.first() {
            Some(0) => assert_eq!(ended, None),
            Some(_) => assert_eq!(ended, Some(Error::Unauthenticated)),
            None => assert!(ended.is_none_or(|ended| ended == Error::Unauthenticated)),
        }
    }
}
