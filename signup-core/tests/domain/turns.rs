//! Turns of edits, and attempts to commit against other processes: a second service over the same store is another
//! process.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use signup_core::*;
use signup_store_memory::MemoryStore;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, yield_now};

/// Counts commits, holds them up, and lets another process edit an event before them.
#[derive(Debug, Default)]
struct Watched {
    inner: Arc<MemoryStore>,
    begun: AtomicUsize,
    refused: AtomicUsize,
    /// The reads of a shift with its event.
    reads: AtomicUsize,
    /// What the next commits wait for, in this order.
    held: Mutex<VecDeque<oneshot::Receiver<()>>>,
    /// The session of another process, the event that it edits, and before how many of the next commits.
    foreign: Mutex<Option<(Session, EventId, usize)>>,
}

#[async_trait]
impl Wrapper for Watched {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn shift_with_event(
        &self,
        organization: OrganizationId,
        id: ShiftId,
    ) -> Result<Option<(Shift, Event)>, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.inner.shift_with_event(organization, id).await
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let begun = self.begun.fetch_add(1, Ordering::SeqCst);
        let held = self.held.lock().unwrap().pop_front();
        if let Some(held) = held {
            held.await.unwrap();
        }
        let foreign = match &mut *self.foreign.lock().unwrap() {
            Some((session, event, left @ 1..)) => {
                *left -= 1;
                Some((session.clone(), *event))
            }
            _ => None,
        };
        if let Some((session, event)) = foreign {
            session.patch_event(event, title(&format!("Foreign {begun}"))).await.unwrap();
        }
        let committed = self.inner.commit(change).await;
        if let Err(CommitError::Refused(_)) = committed {
            self.refused.fetch_add(1, Ordering::SeqCst);
        }
        committed
    }
}

impl Watched {
    /// Holds the next commit until the sender sends.
    fn hold(&self) -> oneshot::Sender<()> {
        let (release, held) = oneshot::channel();
        self.held.lock().unwrap().push_back(held);
        release
    }

    fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    fn refused(&self) -> usize {
        self.refused.load(Ordering::SeqCst)
    }

    fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }

    /// Waits until this many commits have begun. Panics after 10 seconds.
    async fn has_begun(&self, commits: usize) {
        let begun = async {
            while self.begun() < commits {
                yield_now().await;
            }
        };
        let waited = tokio::time::timeout(std::time::Duration::from_secs(10), begun).await;
        waited.unwrap_or_else(|_| panic!("{} of {commits} commits have begun", self.begun()));
    }
}

/// A clock that only records its pauses.
#[derive(Debug, Default)]
struct Recorded(Mutex<Vec<Duration>>);

#[async_trait]
impl Clock for Recorded {
    fn now(&self) -> Timestamp {
        "2027-06-05T12:00:00Z".parse().unwrap()
    }

    async fn pause(&self, duration: Duration) {
        self.0.lock().unwrap().push(duration);
    }
}

struct World {
    store: Arc<Wrapped<Watched>>,
    clock: Arc<Recorded>,
    service: Service,
    session: Session,
}

async fn world() -> World {
    let (store, clock) = (Arc::new(Wrapped(Watched::default())), Arc::new(Recorded::default()));
    let service = Service::new(Arc::clone(&store)).with_clock(Arc::clone(&clock));
    let new = NewOrganization::new("Riverside".parse().unwrap()).plan(Plan::Pro);
    let organization = service.admin().create_organization(new).await.unwrap();
    let session = service.session_for(organization.id, Scopes::all()).await.unwrap();
    World { store, clock, service, session }
}

impl World {
    fn store(&self) -> &Watched {
        &self.store.0
    }

    /// Creates a published event with two shifts.
    async fn event(&self) -> (EventId, [ShiftId; 2]) {
        let shift = || NewShift::new("Packing".parse().unwrap(), Capacity::new(9).unwrap());
        let new = NewEvent::new("Drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap());
        let new = new.shift(shift()).shift(shift()).published();
        let EventWithShifts { event, shifts, .. } = self.session.create_event(new).await.unwrap();
        (event.id, [shifts[0].id, shifts[1].id])
    }

    fn patch(&self, event: EventId, text: &str) -> JoinHandle<Result<u32>> {
        let (session, patch) = (self.session.clone(), title(text));
        tokio::spawn(async move { Ok(session.patch_event(event, patch).await?.event.version) })
    }

    /// Starts a patch of a shift whose commit is held. Returns the number of commits before it, what ends the hold, and the patch.
    async fn stuck_patch(&self, shift: ShiftId) -> (usize, oneshot::Sender<()>, JoinHandle<Result<()>>) {
        let (begun, release) = (self.store().begun(), self.store().hold());
        let stuck = self.patch_shift(shift, 3);
        self.store().has_begun(begun + 1).await;
        (begun, release, stuck)
    }

    fn patch_shift(&self, shift: ShiftId, capacity: u32) -> JoinHandle<Result<()>> {
        let (session, patch) = (self.session.clone(), ShiftPatch::new());
        let patch = patch.capacity(Capacity::new(capacity).unwrap());
        tokio::spawn(async move { session.patch_shift(shift, patch).await.map(drop) })
    }

    /// Lets another process edit the event before each of the next `commits`.
    async fn interfere(&self, event: EventId, commits: usize) {
        let other = Service::new(Arc::clone(&self.store().inner)).with_clock(Arc::clone(&self.clock));
        let session = other.session_for(self.session.organization_id(), Scopes::all()).await.unwrap();
        *self.store().foreign.lock().unwrap() = Some((session, event, commits));
    }

    fn pauses(&self) -> Vec<Duration> {
        self.clock.0.lock().unwrap().clone()
    }
}

fn title(text: &str) -> EventPatch {
    EventPatch::new().title(text.parse().unwrap())
}

/// Calls a handle in a task of its own.
fn spawn<H: Clone, T, F>(handle: &H, call: impl FnOnce(H) -> F) -> JoinHandle<Result<()>>
where
    F: Future<Output = Result<T>> + Send + 'static,
{
    let call = call(handle.clone());
    tokio::spawn(async move { call.await.map(drop) })
}

/// Lets each task of the runtime run until it waits.
async fn settle() {
    for _ in 0..100 {
        yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_patches_of_an_event_are_never_refused() {
    let world = world().await;
    let (event, _) = world.event().await;
    let patches: Vec<_> = (0..300).map(|number| world.patch(event, &format!("Drive {number}"))).collect();
    for patch in patches {
        patch.await.unwrap().unwrap();
    }
    assert_eq!(world.store().refused(), 0);
    assert_eq!(world.session.event(event).await.unwrap().event.version, 301);
}

#[tokio::test]
async fn edits_of_an_event_are_committed_in_the_order_of_their_arrival() {
    let world = world().await;
    let (event, _) = world.event().await;
    let release = world.store().hold();
    let patches: Vec<_> = (0..20).map(|number| world.patch(event, &format!("Drive {number}"))).collect();
    settle().await;
    release.send(()).unwrap();
    for (patch, version) in patches.into_iter().zip(2..) {
        assert_eq!(patch.await.unwrap(), Ok(version));
    }
}

/// A sign-up and the edit of another event do not wait.
#[tokio::test]
async fn every_edit_of_an_event_waits_for_the_one_before_it() {
    let world = world().await;
    let (event, [first, second]) = world.event().await;
    let (other, _) = world.event().await;
    let (session, admin) = (world.session.clone(), world.service.admin());
    let question = |label: &str| NewQuestion::new(label.parse().unwrap(), QuestionKind::Text);
    let shirt = session.add_question(event, question("Shirt size")).await.unwrap().id;
    let begun = world.store().begun();
    let release = world.store().hold();
    let stuck = world.patch(event, "Food drive");
    world.store().has_begun(begun + 1).await;

    let (diet, allergies) = (question("Diet"), question("Allergies"));
    let driving = NewShift::new("Driving".parse().unwrap(), Capacity::new(1).unwrap());
    let fewer = ShiftPatch::new().capacity(Capacity::new(3).unwrap());
    let edits = [
        spawn(&session, move |session| async move { session.add_question(event, diet).await }),
        spawn(&admin, move |admin| async move { admin.add_question(event, allergies).await }),
        spawn(&session, move |session| async move { session.unpublish_event(event).await }),
        spawn(&session, move |session| async move { session.publish_event(event).await }),
        spawn(&session, move |session| async move { session.add_shifts(event, vec![driving]).await }),
        spawn(&session, move |session| async move { session.patch_shift(first, fewer).await }),
        spawn(&session, move |session| async move { session.delete_shift(second, DeleteShift::new()).await }),
        spawn(&session, move |session| async move {
            session.patch_question(shirt, QuestionPatch::new().required(true)).await
        }),
        spawn(&session, move |session| async move { session.delete_question(shirt).await }),
        spawn(&session, move |session| async move { session.cancel_event(event, Cancellation::new()).await }),
        spawn(&admin, move |admin| async move { admin.cancel_event(event, Cancellation::new()).await }),
        spawn(&admin, move |admin| async move { admin.delete_event(event).await }),
    ];
    settle().await;
    assert_eq!(world.store().begun(), begun + 1, "all edits wait");

    let ada = NewSignup::new("Ada".parse().unwrap(), EmailAddress::new("ada@example.org").unwrap());
    let form = world.service.volunteers().form_of(session.organization_id(), [first]).await.unwrap();
    form.sign_up(ada).await.unwrap().into_places().unwrap();
    world.patch(other, "Other drive").await.unwrap().unwrap();
    assert!(!stuck.is_finished() && edits.iter().all(|edit| !edit.is_finished()));
    release.send(()).unwrap();
    assert!(stuck.await.unwrap().is_ok());
    for edit in edits {
        drop(edit.await.unwrap());
    }
    assert!(session.event(event).await.unwrap_err().is_not_found(), "the last edit has deleted the event");
}

#[tokio::test]
async fn patches_of_different_shifts_run_side_by_side() {
    let world = world().await;
    let (event, [first, second]) = world.event().await;
    let (begun, release, stuck) = world.stuck_patch(first).await;
    world.patch_shift(second, 4).await.unwrap().unwrap();
    let same = world.patch_shift(first, 5);
    let edit = world.patch(event, "Food drive");
    settle().await;
    let later = world.patch_shift(second, 6);
    settle().await;
    assert_eq!(
        world.store().begun(),
        begun + 2,
        "the edit waits for the first shift, and the patch for the edit"
    );
    release.send(()).unwrap();
    stuck.await.unwrap().unwrap();
    same.await.unwrap().unwrap();
    edit.await.unwrap().unwrap();
    later.await.unwrap().unwrap();
    assert_eq!(world.store().refused(), 0);
    let capacities = world.session.shifts(event).await.unwrap();
    assert_eq!(
        capacities.iter().map(|shift| shift.occupancy.capacity.volunteers()).collect::<Vec<_>>(),
        [5, 6]
    );
}

/// The external ids of the shifts of an event are different, so such a patch is an edit of the event.
#[tokio::test]
async fn a_patch_that_sets_an_external_id_waits_for_patches_of_other_shifts() {
    let world = world().await;
    let (event, [first, second]) = world.event().await;
    let (begun, release, stuck) = world.stuck_patch(first).await;
    let patch = ShiftPatch::new().external_id("late".parse().unwrap());
    let known = spawn(&world.session, move |session| async move { session.patch_shift(second, patch).await });
    settle().await;
    assert_eq!(world.store().begun(), begun + 1);
    release.send(()).unwrap();
    stuck.await.unwrap().unwrap();
    known.await.unwrap().unwrap();
    assert_eq!(world.store().refused(), 0);
    assert!(world.session.shifts(event).await.unwrap()[1].external_id.is_some());
}

#[tokio::test]
async fn a_patch_of_a_shift_reads_again_only_after_a_wait() {
    let world = world().await;
    let (event, [shift, _]) = world.event().await;
    let begun = world.store().begun();
    let release = world.store().hold();
    let first = world.patch_shift(shift, 3);
    world.store().has_begun(begun + 1).await;
    assert_eq!(world.store().reads(), 1, "its turn came at once");
    let later: Vec<_> = (4..7).map(|capacity| world.patch_shift(shift, capacity)).collect();
    settle().await;
    release.send(()).unwrap();
    first.await.unwrap().unwrap();
    for patch in later {
        patch.await.unwrap().unwrap();
    }
    assert_eq!((world.store().reads(), world.store().refused()), (1 + 2 * 3, 0));
    assert_eq!(world.session.shifts(event).await.unwrap()[0].occupancy.capacity.volunteers(), 6);
}

#[tokio::test]
async fn a_task_that_is_dropped_gives_its_turn_back() {
    let world = world().await;
    let (event, _) = world.event().await;
    let begun = world.store().begun();
    let release = world.store().hold();
    let stuck = world.patch(event, "First");
    world.store().has_begun(begun + 1).await;
    let (waiting, last) = (world.patch(event, "Second"), world.patch(event, "Third"));
    settle().await;
    waiting.abort();
    settle().await;
    assert!(!last.is_finished());
    stuck.abort();
    assert_eq!(last.await.unwrap(), Ok(2), "neither of the dropped edits was committed");
    assert!(release.is_closed());
}

/// The commit of a task that is dropped may still be in the queue of the store.
#[tokio::test]
async fn an_edit_after_a_dropped_one_decides_again_if_it_was_committed() {
    let world = world().await;
    let (event, _) = world.event().await;
    let begun = world.store().begun();
    let release = [world.store().hold(), world.store().hold()];
    let dropped = world.patch(event, "First");
    world.store().has_begun(begun + 1).await;
    dropped.abort();
    let next = world.patch(event, "Second");
    world.store().has_begun(begun + 2).await;
    // What the dropped task had in the queue is committed after the read of the next one.
    world.interfere(event, 1).await;
    let [_, release] = release;
    release.send(()).unwrap();
    assert_eq!(next.await.unwrap(), Ok(3));
    assert_eq!((world.store().refused(), world.pauses()), (1, vec![]), "the second attempt follows at once");
}

#[tokio::test]
async fn a_write_that_loses_against_another_process_is_tried_again_after_longer_pauses() {
    let world = world().await;
    let (event, _) = world.event().await;
    world.interfere(event, 12).await;
    let patch = EventPatch::new().badge_label("New".parse().unwrap());
    let patched = world.session.patch_event(event, patch).await.unwrap().event;
    assert_eq!(world.store().refused(), 12);
    assert!(patched.title.as_str().starts_with("Foreign"), "it decides on what the other process left");
    let pauses = world.pauses();
    assert_eq!(pauses.len(), 11, "the second attempt follows at once");
    for (pause, longest) in pauses.into_iter().zip([1, 2, 4, 8, 16, 32, 50, 50, 50, 50, 50]) {
        let longest = Duration::from_millis(longest);
        assert!(longest / 2 <= pause && pause <= longest, "{pause:?} of at most {longest:?}");
    }
}

#[tokio::test]
async fn a_write_that_loses_for_ten_seconds_is_contended() {
    let world = world().await;
    let (event, _) = world.event().await;
    world.interfere(event, usize::MAX).await;
    assert_eq!(world.patch(event, "Mine").await.unwrap(), Err(Error::Contended));
    let paused: Duration = world.pauses().iter().sum();
    assert!((Duration::from_millis(7500)..=Duration::from_secs(10)).contains(&paused), "{paused:?}");
}

#[tokio::test]
async fn an_edit_of_a_title_makes_no_sign_up_decide_again() {
    let world = world().await;
    let (event, [shift, _]) = world.event().await;
    world.interfere(event, usize::MAX).await;
    let ada = NewSignup::new("Ada".parse().unwrap(), EmailAddress::new("ada@example.org").unwrap());
    let form = world.service.volunteers().form_of(world.session.organization_id(), [shift]).await.unwrap();
    form.sign_up(ada).await.unwrap().into_places().unwrap();
    assert_eq!(world.pauses(), []);
}
