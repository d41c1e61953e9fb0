//! Races of members, and the harness of all races: one call in each of two processes on one store. Both calls read before either
//! commits.
//!
//! Each race is run three times: the first process commits first, the second process commits first, or both commit at once. The
//! calls go through the handles of a [`Service`], so the rules and the locks of the store are tested together.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Barrier;

use crate::*;

pub(super) const MEMBER: Acceptance = Acceptance::Member { name: None };

/// The store of one process. In a race, the next commit waits for the next commit of the other process.
#[derive(Debug)]
struct Process {
    store: Arc<dyn Store>,
    next: Mutex<Option<(Arc<Barrier>, Place)>>,
}

/// When a commit of a race begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
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
pub(super) struct Race {
    processes: [Arc<Wrapped<Process>>; 2],
    pub(super) services: [Service; 2],
    pub(super) places: [Place; 2],
    pub(super) organization: OrganizationId,
}

impl Race {
    /// Returns a race for each order of the two commits.
    pub(super) async fn each(store: &Arc<dyn Store>) -> Vec<Self> {
        let mut races = vec![];
        for places in
            [[Place::First, Place::Second], [Place::Second, Place::First], [Place::Beside, Place::Beside]]
        {
            let process = || Arc::new(Wrapped(Process { store: Arc::clone(store), next: Mutex::default() }));
            let processes = [process(), process()];
            let services = processes
                .each_ref()
                .map(|process| Service::shared(Arc::clone(process) as Arc<dyn Store>).with_clock(TokioClock));
            let organization = new_organization(&services[0]).await;
            races.push(Self { processes, services, places, organization });
        }
        races
    }

    /// Runs one call in each process.
    ///
    /// # Panics
    /// Panics if one of the calls does not commit.
    pub(super) async fn run<A: Send + 'static, B: Send + 'static>(
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
    pub(super) fn first(&self) -> Option<usize> {
        self.places.iter().position(|place| *place == Place::First)
    }

    /// Returns an address that no other race uses.
    pub(super) fn address(&self, name: &str) -> EmailAddress {
        format!("{name}-{}@example.org", self.organization).parse().unwrap()
    }

    pub(super) fn invitation(&self, name: &str, role: Role) -> NewInvitation {
        NewInvitation::new(self.address(name), name.parse().unwrap(), role)
    }

    /// Invites an address as the operator. Returns the invitation and the secret of its link.
    pub(super) async fn invite(&self, name: &str, role: Role) -> (Invitation, Secret) {
        let (admin, new) = (self.services[0].admin(), self.invitation(name, role));
        admin.invite_person(self.organization, new).await.unwrap().unwrap()
    }

    /// Makes a member, who is signed in at a process.
    pub(super) async fn member(&self, process: usize, name: &str, role: Role) -> SignedIn {
        let (_, link) = self.invite(name, role).await;
        self.services[process].people().accept(&link, None, MEMBER).await.unwrap().unwrap().0
    }

    /// Requests a code for a member in a browser. Returns the code in the queued mail.
    pub(super) async fn code(&self, browser: &Secret, name: &str) -> Code {
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
    pub(super) async fn members(&self) -> Vec<(PersonId, Role)> {
        let members = self.services[0].admin().members(self.organization).await.unwrap();
        members.into_iter().map(|(membership, person)| (person.id, membership.role)).collect()
    }
}

async fn new_organization(service: &Service) -> OrganizationId {
    let new = NewOrganization::new("Riverside".parse().unwrap());
    service.admin().create_organization(new).await.unwrap().id
}

/// Returns the session of a person who has one membership.
pub(super) fn session(person: &SignedIn) -> Session {
    person.session(&person.memberships()[0].1.slug).unwrap()
}

/// Gives a member another role, or removes the member.
pub(super) async fn change(session: Session, person: PersonId, role: Option<Role>) -> Result<()> {
    match role {
        Some(role) => session.change_role(person, role).await.map(drop),
        None => session.remove_member(person).await,
    }
}

/// If two owners remove or lower each other at once, only the first commit succeeds. The organization keeps one owner.
pub async fn two_owners_who_remove_or_lower_each_other_leave_one_owner(store: Arc<dyn Store>) {
    for roles in [
        [None, None],
        [Some(Role::Admin), None],
        [None, Some(Role::Admin)],
        [Some(Role::Admin), Some(Role::Organizer)],
    ] {
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

/// If the operator removes the last two owners at once, only the first commit succeeds. The organization keeps one owner.
pub async fn simultaneous_removals_of_two_owners_by_the_operator_leave_one_owner(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        race.member(0, "ada", Role::Owner).await;
        race.member(0, "bo", Role::Owner).await;
        let remove = |process: usize, name| {
            let (service, owner, address) =
                (race.services[process].clone(), race.organization, race.address(name));
            async move { service.admin().remove_person(owner, &address).await.map(drop) }
        };
        let (here, there) = race.run(remove(0, "ada"), remove(1, "bo")).await;
        let refused = if here.is_ok() { there } else { here };
        assert_eq!(refused, Err(Error::LastOwner), "{:?}", race.places);
        assert_eq!(race.members().await.len(), 1);
    }
}

/// If the last two memberships of a person, in two organizations, end at once, the person is removed.
pub async fn a_person_whose_last_two_memberships_end_at_once_is_removed(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        let ada = race.member(0, "ada", Role::Organizer).await;
        let (admin, other) = (race.services[1].admin(), new_organization(&race.services[1]).await);
        let (_, link) =
            admin.invite_person(other, race.invitation("ada", Role::Organizer)).await.unwrap().unwrap();
        let (people, browser) = (race.services[1].people(), Secret::generate());
        assert!(people.accept(&link, None, MEMBER).await.unwrap().is_none(), "a person already");
        let code = race.code(&browser, "ada").await;
        let (there, secret) = people.sign_in(&browser, &code, None).await.unwrap();
        let (person, owner) = (ada.person().id, race.organization);
        let (here, there) =
            race.run(async move { ada.leave(owner).await }, async move { there.leave(other).await }).await;
        assert_eq!((here, there), (Ok(()), Ok(())), "{:?}", race.places);
        let key = RecordKey::Person(person);
        assert_eq!(store.record(&key, Deleted::Included).await.unwrap(), None, "{:?}", race.places);
        assert_eq!(store.memberships(person).await.unwrap(), []);
        let ended = race.services[0].people().signed_in(&secret).await.err();
        assert_eq!(ended, Some(Error::Unauthenticated));
    }
}
