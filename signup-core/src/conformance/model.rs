//! Random operations through two stores: whatever one answers, the other answers too.
//!
//! Ids, secrets and times come from small ranges, so that operations meet: the same slug, the same key, the same
//! address, a shift at the edge of its capacity, a version that is outdated, another organization's record.

use std::sync::Arc;

use proptest::prelude::*;

use super::records::*;
use crate::*;

/// One operation. Numbers name records of small ranges.
#[derive(Debug, Clone)]
pub enum Step {
    /// Create an event with shifts, perhaps under a key and a limit of active events.
    Create {
        /// The owner.
        organization: u32,
        /// How many days after the first of June 2027 it starts.
        day: u32,
        /// Whether it is published.
        is_published: bool,
        /// Capacities of its shifts.
        capacities: Vec<u32>,
        /// Whether its slug is one that others have too.
        common_slug: bool,
        /// Under which key, and for how many seconds its receipt lives.
        key: Option<(u8, u8)>,
        /// How many active events there may be.
        limit: Option<u32>,
    },
    /// Edit a shift that was read at some version.
    Edit {
        /// Who tries.
        organization: u32,
        /// Which of the shifts.
        shift: u32,
        /// At which version it was read.
        version: u32,
        /// Its new capacity.
        capacity: u32,
        /// Its new hours.
        hours: (u16, u16),
    },
    /// Sign up.
    SignUp {
        /// Which of the shifts.
        shift: u32,
        /// Which of the people.
        person: u32,
        /// Whether the address is in capitals.
        is_loud: bool,
        /// Whether room is asked for, or the place taken regardless.
        checks_room: bool,
    },
    /// Cancel.
    Cancel {
        /// Who tries.
        organization: u32,
        /// Which of the sign-ups.
        signup: u32,
        /// Whether it has to be confirmed.
        is_checked: bool,
    },
    /// Give a sign-up another secret, or erase it.
    Change {
        /// Which of the sign-ups.
        signup: u32,
        /// Whether its secret is thought to be the first one.
        is_first: bool,
        /// Whether it is erased.
        is_erased: bool,
    },
    /// Take the notice that is due first, put it back, or do away with it.
    Deliver {
        /// At which version it was read.
        version: u32,
        /// What becomes of it.
        fate: u8,
    },
    /// Add questions.
    Ask {
        /// Which of the events.
        event: u32,
        /// How many it is thought to have.
        count: u32,
    },
    /// Create a token, or revoke one.
    Token {
        /// The owner.
        organization: u32,
        /// Which token.
        number: u32,
        /// Whether to revoke it.
        is_revoked: bool,
    },
    /// Give an organization a plan.
    Plan(u32, bool),
    /// Let time pass.
    Wait(u8),
    /// Purge receipts.
    Purge(u32),
    /// Read a page of events beside any event.
    Page {
        /// Whose.
        organization: u32,
        /// Beside which event, and on which side.
        beside: Option<(u32, bool)>,
        /// The filter.
        is_published: Option<bool>,
        /// The size.
        limit: u32,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let organization = 1..3_u32;
    let hours =
        prop_oneof![Just((0, 1440)), (0..1439_u16, 1..200_u16).prop_map(|(a, b)| (a, (a + b).min(1440)))];
    prop_oneof![
        4 => (organization.clone(), 0..4_u32, any::<bool>(), prop::collection::vec(1..4_u32, 0..4), prop::bool::weighted(0.2),
            prop::option::of((0..3_u8, 1..20_u8)), prop::option::of(0..4_u32))
            .prop_map(|(organization, day, is_published, capacities, common_slug, key, limit)| Step::Create {
                organization, day, is_published, capacities, common_slug, key, limit,
            }),
        2 => (organization.clone(), 0..8_u32, 1..4_u32, 1..4_u32, hours)
            .prop_map(|(organization, shift, version, capacity, hours)| Step::Edit { organization, shift, version, capacity, hours }),
        6 => (0..6_u32, 0..4_u32, any::<bool>(), prop::bool::weighted(0.9))
            .prop_map(|(shift, person, is_loud, checks_room)| Step::SignUp { shift, person, is_loud, checks_room }),
        3 => (organization.clone(), 0..8_u32, any::<bool>())
            .prop_map(|(organization, signup, is_checked)| Step::Cancel { organization, signup, is_checked }),
        1 => (0..8_u32, any::<bool>(), any::<bool>())
            .prop_map(|(signup, is_first, is_erased)| Step::Change { signup, is_first, is_erased }),
        2 => (1..3_u32, 0..4_u8).prop_map(|(version, fate)| Step::Deliver { version, fate }),
        1 => (0..4_u32, 0..3_u32).prop_map(|(event, count)| Step::Ask { event, count }),
        1 => (organization.clone(), 0..3_u32, any::<bool>())
            .prop_map(|(organization, number, is_revoked)| Step::Token { organization, number, is_revoked }),
        1 => (organization.clone(), any::<bool>()).prop_map(|(organization, is_free)| Step::Plan(organization, is_free)),
        1 => (1..20_u8).prop_map(Step::Wait),
        1 => (1..4_u32).prop_map(Step::Purge),
        2 => (organization, prop::option::of((0..8_u32, any::<bool>())), any::<Option<bool>>(), 1..5_u32)
            .prop_map(|(organization, beside, is_published, limit)| Step::Page { organization, beside, is_published, limit }),
    ]
}

/// Up to 40 operations.
pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..40)
}

/// What has been made so far, and the time.
struct World {
    events: Vec<Event>,
    shifts: Vec<Shift>,
    signups: Vec<Signup>,
    notices: Vec<Notice>,
    made: u32,
    now_s: i64,
}

/// Drives `steps` through both stores, which have to be empty, and compares every answer; then compares all that can be
/// read, and counts the confirmed sign-ups of each shift.
///
/// # Panics
/// If the stores disagree, or a count is wrong.
pub async fn run(a: &Arc<dyn Store>, b: &Arc<dyn Store>, steps: &[Step]) {
    let mut world =
        World { events: vec![], shifts: vec![], signups: vec![], notices: vec![], made: 0, now_s: 0 };
    for number in 1..3 {
        for store in [a, b] {
            write(&**store, vec![Write::InsertOrganization(organization(number))]).await;
        }
    }
    for step in steps {
        match step {
            Step::Wait(seconds) => world.now_s += i64::from(*seconds),
            Step::Purge(limit) => {
                let now = at(world.now_s);
                let purged = (
                    a.purge_receipts(now, *limit).await.unwrap(),
                    b.purge_receipts(now, *limit).await.unwrap(),
                );
                assert_eq!(purged.0, purged.1, "{step:?}");
            }
            Step::Page { organization, beside, is_published, limit } => {
                let position = beside.and_then(|(event, is_above)| {
                    let event = world.events.get(event as usize)?;
                    let side = if is_above { Side::Above } else { Side::Below };
                    Some(Position { starts_at: event.dates.starts_at(), id: event.id, side })
                });
                let query = EventQuery { is_published: *is_published, position, limit: *limit };
                let owner = organization_id(*organization);
                assert_eq!(
                    a.events(owner, &query).await.unwrap(),
                    b.events(owner, &query).await.unwrap(),
                    "{step:?}"
                );
            }
            step => {
                let Some(change) = change(&mut world, step) else { continue };
                let answers = (
                    try_write(&**a, change.requires.clone(), change.writes.clone()).await,
                    try_write(&**b, change.requires.clone(), change.writes.clone()).await,
                );
                assert_eq!(answers.0, answers.1, "{step:?}");
                if answers.0.is_ok() {
                    remember(&mut world, change);
                }
            }
        }
    }
    compare(a, b, &world).await;
}

fn change(world: &mut World, step: &Step) -> Option<ChangeSet> {
    world.made += 100;
    let (made, now) = (world.made, at(world.now_s));
    let mut change = ChangeSet::default();
    match *step {
        Step::Create { organization, day, is_published, ref capacities, common_slug, key, limit } => {
            let mut event = Event {
                is_published,
                ..event_on(organization, made, &format!("2027-06-0{}", day + 1), "UTC")
            };
            if common_slug {
                event.slug = "common".to_owned();
            }
            let organization = event.organization;
            let numbered = (made..).zip(capacities);
            let shifts: Vec<_> =
                numbered.map(|(number, &capacity)| shift(&event, number, capacity)).collect();
            if let Some((key, life)) = key {
                let key = receipt_key(1, &format!("key-{key}"));
                change.requires.push(Requirement::NoReceipt { key: key.clone(), now });
                let expires_at = at(world.now_s + i64::from(life));
                let receipt = Receipt { expires_at, ..receipt(key, &event, &shifts) };
                change.writes.push(Write::InsertReceipt(Box::new(receipt)));
            }
            change.requires.push(Requirement::EventSlugFree(event.slug.clone()));
            if let Some(limit) = limit {
                change.requires.push(Requirement::ActiveEventsBelow { organization, limit, now });
            }
            let data = serde_json::Map::from_iter([("made".to_owned(), made.into())]);
            let location_data = (made % 2 == 0).then(|| LocationData::new(data).unwrap());
            change.writes.push(Write::InsertEvent { event: Box::new(event), location_data });
            change.writes.push(Write::InsertShifts(shifts));
        }
        Step::Edit { organization, shift, version, capacity, hours } => {
            let found = world.shifts.get(shift as usize)?;
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
            change.writes.push(Write::InsertNotices(vec![Notice { due_at: now, ..notice(found, made) }]));
            change.writes.push(Write::UpdateShift(Box::new(edited)));
        }
        Step::SignUp { shift, person, is_loud, checks_room } => {
            let shift = world.shifts.get(shift as usize)?;
            let address = format!("person{person}@example.org");
            let address = if is_loud { address.to_uppercase() } else { address };
            let signup = Signup { email: EmailAddress::new(&address).unwrap(), ..signup(shift, made) };
            change = sign_up(shift, &signup);
            if !checks_room {
                change.requires.truncate(1);
            }
        }
        Step::Cancel { organization, signup, is_checked } => {
            let signup = world.signups.get(signup as usize)?.id;
            let organization = organization_id(organization);
            if is_checked {
                change.requires.push(Requirement::SignupConfirmed { organization, signup });
            }
            change.writes.push(Write::CancelSignup { organization, signup, at: now });
        }
        Step::Change { signup, is_first, is_erased } => {
            let found = world.signups.get(signup as usize)?;
            let (organization, signup) = (found.organization, found.id);
            let secret = if is_first { found.secret } else { Digest::of(&format!("renewed {signup}")) };
            change.requires.push(Requirement::SignupHasSecret { organization, signup, secret });
            let secret = Digest::of(&format!("renewed {signup}"));
            change.writes.push(if is_erased {
                Write::EraseSignup { organization, signup }
            } else {
                Write::RenewSecret { organization, signup, secret, at: now }
            });
        }
        Step::Deliver { version, fate } => {
            let notice = Notice { version, ..world.notices.first()?.clone() };
            change = match fate {
                0 => rules::finish_notice(&notice),
                1 => rules::replace_notice(&notice, notice.clone().taken(now)),
                2 => rules::replace_notice(&notice, notice.clone().put_back("450 later", false, now)),
                _ => rules::replace_notice(&notice, notice.clone().put_back("550 never", true, now)),
            };
        }
        Step::Ask { event, count } => {
            let event = world.events.get(event as usize)?;
            let organization = event.organization;
            change.requires.push(Requirement::QuestionCount { organization, event: event.id, count });
            change.writes.push(Write::InsertQuestions(vec![question(event, made, count)]));
        }
        Step::Token { organization, number, is_revoked: true } => {
            change
                .requires
                .push(Requirement::OrganizationSlugFree(format!("organization-{}", organization + 1)));
            change.writes.push(Write::RevokeToken { token: TokenId::new(uuid(100 * number)), at: now });
        }
        Step::Token { organization, is_revoked: false, .. } => {
            change.writes.push(Write::InsertToken(token(organization, made)));
        }
        Step::Plan(organization, is_free) => {
            let plan = if is_free { Plan::Free } else { Plan::Pro };
            change.writes.push(Write::SetPlan { organization: organization_id(organization), plan });
        }
        Step::Wait(_) | Step::Purge(_) | Step::Page { .. } => return None,
    }
    Some(change)
}

fn remember(world: &mut World, change: ChangeSet) {
    for write in change.writes {
        match write {
            Write::InsertEvent { event, .. } => world.events.push(*event),
            Write::InsertShifts(shifts) => world.shifts.extend(shifts),
            Write::InsertSignup(signup) => world.signups.push(*signup),
            Write::InsertNotices(notices) => world.notices.extend(notices),
            Write::DeleteNotice { notice, .. } => world.notices.retain(|found| found.id != notice),
            _ => {}
        }
    }
}

async fn compare(a: &Arc<dyn Store>, b: &Arc<dyn Store>, world: &World) {
    assert_eq!(a.organizations(None, 9).await.unwrap(), b.organizations(None, 9).await.unwrap());
    for have_failed in [false, true] {
        let notices = a.notices(have_failed, None, 999).await.unwrap();
        assert_eq!(notices, b.notices(have_failed, None, 999).await.unwrap());
    }
    // A notice that is put back is due after half a minute: some of those are beyond this.
    let (now, latest) = (at(world.now_s), at(world.now_s + 20));
    let due = a.due_notices(now, latest, 99).await.unwrap();
    assert_eq!(due, b.due_notices(now, latest, 99).await.unwrap());
    assert_eq!(a.count_notices().await.unwrap(), b.count_notices().await.unwrap());
    for owner in [1, 2].map(organization_id) {
        assert_eq!(a.tokens(owner).await.unwrap(), b.tokens(owner).await.unwrap());
        for event in &world.events {
            let full = a.event_in_full(owner, event.id).await.unwrap();
            assert_eq!(full, b.event_in_full(owner, event.id).await.unwrap());
            let by_slug = a.event_by_slug(&event.slug).await.unwrap();
            assert_eq!(by_slug, b.event_by_slug(&event.slug).await.unwrap());
            let signups = a.signups(owner, event.id, None, 999).await.unwrap();
            assert_eq!(signups, b.signups(owner, event.id, None, 999).await.unwrap());
            for shift in full.into_iter().flat_map(|full| full.shifts) {
                let is_here =
                    |signup: &&Signup| signup.shift == shift.id && signup.status == SignupStatus::Confirmed;
                let confirmed = signups.iter().filter(is_here).count();
                assert_eq!(shift.occupancy.filled as usize, confirmed, "filled of {:?}", shift.id);
                let listed = a.confirmed_signups(owner, shift.id, None, 999).await.unwrap();
                assert_eq!(listed, b.confirmed_signups(owner, shift.id, None, 999).await.unwrap());
                assert_eq!(listed.len(), confirmed);
            }
        }
    }
    for key in 0..3 {
        let key = receipt_key(1, &format!("key-{key}"));
        for now in [at(0), at(world.now_s)] {
            assert_eq!(a.receipt(&key, now).await.unwrap(), b.receipt(&key, now).await.unwrap());
        }
    }
}
