//! The data of a volunteer: read and erased by an admin.

use std::sync::{Arc, Mutex};

use signup_core::*;
use signup_store_memory::MemoryStore;

use crate::scene::{Scene, address, join, place, session, volunteer};

async fn of_role(scene: &Scene, name: &str, role: Role) -> Session {
    let (person, _) = scene.member(name, role).await;
    person.session(&person.memberships()[0].1.slug).unwrap()
}

#[tokio::test]
async fn an_admin_reads_everything_about_an_address_and_erases_it() {
    let scene = Scene::start().await;
    let admin = of_role(&scene, "grace", Role::Admin).await;
    let (event, first) = scene.event(9).await;
    let (_, other) = scene.event(9).await;
    let (gone, of_deleted) = scene.event(9).await;
    for shift in [&first, &other, &of_deleted] {
        scene.sign_up(shift, "ada").await.unwrap();
        scene.sign_up(shift, "bob").await.unwrap();
    }
    let cancelled = scene.session.signups(SignupQuery::new().of_event(gone.id)).await.unwrap().items;
    for signup in cancelled {
        admin.cancel_signup(signup.id, Cancellation::new()).await.unwrap();
    }
    admin.delete_event(gone.id).await.unwrap();

    let data = admin.volunteer_data(&"ADA@example.org".parse().unwrap()).await.unwrap();
    let signups: Vec<_> = data
        .signups
        .iter()
        .map(|stored| {
            let SignupInFull { event, signup, .. } = stored;
            (event.id, signup.email.to_string(), signup.is_confirmed())
        })
        .collect();
    let ada = || "ada@example.org".to_owned();
    let expected = [(gone.id, ada(), false), (other.event, ada(), true), (event.id, ada(), true)];
    assert_eq!(signups, expected);
    let mails: Vec<_> = data.notices.iter().map(|notice| (notice.event, notice.cause.name())).collect();
    for event in [event.id, other.event, gone.id] {
        assert!(mails.contains(&(Some(event), "news")), "{mails:?}");
    }

    assert_eq!((data.member, data.invitation), (None, None));

    assert_eq!(admin.preview().erase_volunteer(&address("ada")).await, Ok(3));
    assert_eq!(
        admin.volunteer_data(&address("ada")).await.unwrap().signups.len(),
        3,
        "a preview erases nothing"
    );
    assert_eq!(admin.erase_volunteer(&address("ada")).await, Ok(3));
    assert_eq!(admin.volunteer_data(&address("ada")).await, Ok(VolunteerData::default()));
    assert_eq!(admin.volunteer_data(&address("bob")).await.unwrap().signups.len(), 3);
    assert_eq!(scene.session.shift(first.id).await.unwrap().occupancy.filled, 1);
    assert_eq!(admin.erase_volunteer(&address("ada")).await, Ok(0));
    let erased = scene.session.activity(ActivityQuery::new().limit(3)).await.unwrap().items;
    for activity in erased {
        assert_eq!(activity.kind, ActivityType::SIGNUP_ERASED);
        assert!(
            matches!(&activity.actor, Actor::Person { name, .. } if name.as_str() == "grace"),
            "{activity:?}"
        );
    }
}

#[tokio::test]
async fn the_membership_and_the_invitation_of_the_address_belong_to_the_data_of_their_organization_only() {
    let scene = Scene::start().await;
    let admin = of_role(&scene, "grace", Role::Admin).await;
    let invited = NewInvitation::new(address("bob"), "Bob".parse().unwrap(), Role::Organizer);
    let invited = admin.invite(invited).await.unwrap();
    let grace = admin.volunteer_data(&"GRACE@example.org".parse().unwrap()).await.unwrap();
    let member = grace.member.map(|(membership, person)| (membership.role, person.name.to_string()));
    assert_eq!((member, grace.invitation), (Some((Role::Admin, "grace".to_owned())), None));
    let bob = admin.volunteer_data(&address("bob")).await.unwrap();
    assert_eq!((bob.member, bob.invitation), (None, invited.map(|(invitation, _)| invitation)));

    let other = session(&scene.service, Plan::Pro).await.organization_id();
    let (zoe, _) = join(&scene.service, other, "zoe", Role::Admin).await;
    let elsewhere = zoe.session(&zoe.memberships()[0].1.slug).unwrap();
    for name in ["grace", "bob"] {
        assert_eq!(elsewhere.volunteer_data(&address(name)).await, Ok(VolunteerData::default()), "{name}");
    }
}

#[tokio::test]
async fn the_data_that_another_organization_stores_is_neither_read_nor_erased() {
    let scene = Scene::start().await;
    let admin = of_role(&scene, "grace", Role::Admin).await;
    let stranger = session(&scene.service, Plan::Pro).await;
    let shift = NewShift::new("Packing".parse().unwrap(), Capacity::new(1).unwrap());
    let event = NewEvent::new("Drive".parse().unwrap(), date(2027, 6, 6), "UTC".parse().unwrap());
    let created = stranger.create_event(event.shift(shift).published()).await.unwrap();
    let form =
        scene.service.volunteers().form_of(stranger.organization_id(), [created.shifts[0].id]).await.unwrap();
    assert!(place(form.sign_up(volunteer("ada")).await).unwrap().is_new);
    assert_eq!(admin.volunteer_data(&address("ada")).await, Ok(VolunteerData::default()));
    assert_eq!(admin.erase_volunteer(&address("ada")).await, Ok(0));
    assert_eq!(stranger.signups(SignupQuery::new()).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn the_sign_ups_of_a_volunteer_are_those_of_the_address_for_every_event() {
    let scene = Scene::start().await;
    let admin = of_role(&scene, "grace", Role::Admin).await;
    let (event, first) = scene.event(9).await;
    let (gone, of_deleted) = scene.event(9).await;
    let (_, other) = scene.event(9).await;
    for shift in [&first, &of_deleted, &other] {
        scene.sign_up(shift, "ada").await.unwrap();
    }
    let bob = scene.sign_up(&first, "bob").await.unwrap().signup;
    let cancelled = scene.session.signups(SignupQuery::new().of_event(gone.id)).await.unwrap().items;
    admin.cancel_signup(cancelled[0].id, Cancellation::new()).await.unwrap();
    admin.delete_event(gone.id).await.unwrap();

    let listed = scene.session.volunteers(VolunteerQuery::new()).await.unwrap().items;
    let totals: Vec<_> = listed.iter().map(|found| (found.email.clone(), found.confirmed)).collect();
    assert_eq!(totals, [(address("ada"), 2), (address("bob"), 1)]);
    let found = scene.session.signups_of_volunteer(listed[0].newest).await.unwrap();
    let events: Vec<_> = found.iter().map(|found| (found.event.id, found.signup.email.clone())).collect();
    assert_eq!(events, [(other.event, address("ada")), (event.id, address("ada"))]);

    let stranger = session(&scene.service, Plan::Pro).await;
    for (reader, id) in
        [(&scene.session, SignupId::NONE), (&scene.session, cancelled[0].id), (&stranger, bob.id)]
    {
        assert_eq!(reader.signups_of_volunteer(id).await, Err(Error::NotFound), "{id}");
    }
}

/// A store on which another process signs ada up, and claims her mail, after an erasure has found no sign-up.
#[derive(Debug, Default)]
struct Raced {
    inner: Arc<MemoryStore>,
    /// The service of the other process, and the shift.
    rival: Mutex<Option<(Service, ScheduledShift)>>,
    mail: Mutex<Option<Mail>>,
}

#[async_trait]
impl Wrapper for Raced {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn signups_in_full(
        &self,
        organization: OrganizationId,
        query: &SignupQuery,
    ) -> Result<Vec<SignupInFull>, StoreError> {
        let found = self.inner.signups_in_full(organization, query).await?;
        let is_last = query.status.is_none();
        let rival = if is_last { self.rival.lock().unwrap().take() } else { None };
        if let Some((service, shift)) = rival {
            let form = service.volunteers().form_of(organization, [shift.id]).await.unwrap();
            place(form.sign_up(volunteer("ada")).await).unwrap();
            let due = service.outbox().due(9).await.unwrap().remove(0);
            *self.mail.lock().unwrap() = service.outbox().claim(&due).await.unwrap();
        }
        Ok(found)
    }
}

#[tokio::test]
async fn a_sign_up_after_an_erasure_has_read_keeps_the_link_of_its_mail() {
    let store = Arc::new(Wrapped(Raced::default()));
    let here = Service::shared(store.clone());
    let there = Service::shared(Arc::clone(&store.0.inner) as Arc<dyn Store>);
    let session = session(&here, Plan::Pro).await;
    let shift = NewShift::new("Packing".parse().unwrap(), Capacity::new(1).unwrap());
    let event = NewEvent::new("Drive".parse().unwrap(), date(2099, 6, 6), "UTC".parse().unwrap());
    let created = session.create_event(event.shift(shift).published()).await.unwrap();
    *store.0.rival.lock().unwrap() = Some((there, created.shifts[0].clone()));
    let erased = here.admin().erase_signups(session.organization_id(), &address("ada")).await;
    assert_eq!(erased, Ok(0));
    let mail = store.0.mail.lock().unwrap().take().unwrap();
    let places = here.volunteers().places(&mail.secret.unwrap()).await.unwrap();
    assert_eq!(places.signups.len(), 1);
}
