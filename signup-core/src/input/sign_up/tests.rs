use super::*;
use crate::conformance::records;
use crate::text::TextError;

/// A text, a select of S and M, and a checkbox.
fn questions(required: bool) -> Vec<Question> {
    let event = records::event(1, 1);
    let kinds = [QuestionKind::Text, QuestionKind::Select, QuestionKind::Checkbox];
    let question = |(kind, number): (QuestionKind, u32)| {
        let options = if kind == QuestionKind::Select { vec![label("S"), label("M")] } else { vec![] };
        Question { kind, options, required, ..records::question(&event, number, number) }
    };
    kinds.into_iter().zip(1..).map(question).collect()
}

fn label(text: &str) -> Label {
    text.parse().unwrap()
}

fn id(number: u32) -> QuestionId {
    QuestionId::new(records::uuid(number))
}

fn ada() -> NewSignup {
    NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap())
}

/// Returns the answers of an untyped sign-up with the answers `given`.
fn read(questions: &[Question], given: &[(u32, &'static str)]) -> Result<Vec<String>, Faults> {
    let answers = given.iter().map(|(number, text)| (id(*number).to_string().into(), (*text).into()));
    let mut input = SignUpInput::new("Ada", "ada@example.org");
    input.people[0].answers = answers.collect();
    answers_to(&input.check(questions, &[])?, questions)
}

/// Returns the answers of the only person.
fn answers_to(new: &NewSignup, questions: &[Question]) -> Result<Vec<String>, Faults> {
    let answers = new.answers_to(questions, &[])?.remove(0);
    Ok(answers.iter().map(|answer| answer.value.to_string()).collect())
}

fn faults(faults: impl IntoIterator<Item = (u32, FaultKind)>) -> Faults {
    let mut expected = Faults::new();
    faults
        .into_iter()
        .for_each(|(number, kind)| expected.add(answer_path(&FaultPath::new(), id(number)), kind));
    expected
}

fn none_of_the_options() -> FaultKind {
    FaultKind::NotAnOption { options: vec![label("S"), label("M")] }
}

#[test]
fn each_kind_of_question_takes_its_own_kind_of_answer() {
    let required = questions(true);
    let answered = || ada().answer(id(1), "no nuts".parse().unwrap()).choose(id(2), label("M")).tick(id(3));
    assert_eq!(answers_to(&answered(), &required).unwrap(), ["no nuts", "M", "yes"]);
    let answers = answered().answers_to(&required, &[]).unwrap().remove(0);
    assert_eq!(answers[0].label, required[0].label);
    let later = answers_to(&answered().choose(id(2), label("S")), &required).unwrap();
    assert_eq!(later[1], "S", "a later answer replaces an earlier one");
    let missing = [(1, FaultKind::Required), (2, FaultKind::Required), (3, FaultKind::NotTicked)];
    assert_eq!(answers_to(&ada(), &required), Err(faults(missing)));
    assert_eq!(answers_to(&ada(), &questions(false)), Ok(vec![]));
    let unknown = answers_to(&answered().choose(id(2), label("XL")), &required);
    assert_eq!(unknown, Err(faults([(2, none_of_the_options())])));
    let mixed = ada().tick(id(1)).answer(id(2), "M".parse().unwrap()).choose(id(3), label("yes"));
    let wrong = [(1, QuestionKind::Text), (2, QuestionKind::Select), (3, QuestionKind::Checkbox)];
    let wrong = wrong.map(|(number, kind)| (number, ValueType::Answer(kind).into()));
    assert_eq!(answers_to(&mixed, &required), Err(faults(wrong)));
}

#[test]
fn an_answer_to_an_unknown_question_is_a_fault_of_a_typed_sign_up_only() {
    let optional = questions(false);
    let unknown = faults([(9, FaultKind::UNKNOWN)]);
    assert_eq!(ada().tick(id(9)).check_known(&optional), Err(unknown));
    assert_eq!(ada().tick(id(3)).check_known(&optional), Ok(()));
    assert_eq!(read(&optional, &[(9, "on")]), Ok(vec![]));
}

#[test]
fn an_untyped_answer_is_read_by_the_kind_of_its_question() {
    let required = questions(true);
    let with = |number: u32, text: &'static str| {
        let mut answers = [(1, "no nuts"), (2, "M"), (3, "on")];
        answers[number as usize - 1].1 = text;
        read(&required, &answers)
    };
    let expected = |answers: [&str; 3]| Ok(answers.map(str::to_owned).to_vec());
    assert_eq!(with(1, " none "), expected(["none", "M", "yes"]));
    assert_eq!(with(2, " S "), expected(["no nuts", "S", "yes"]));
    assert_eq!(with(3, "1"), expected(["no nuts", "M", "yes"]));
    for (number, text, fault) in [
        (1, " ", FaultKind::Required),
        (1, "a\0b", TextError::Control { character: '\0' }.into()),
        (2, "", FaultKind::Required),
        (2, "XL", none_of_the_options()),
        (3, "off", FaultKind::NotTicked),
        (3, "no", FaultKind::NotTicked),
        (3, "0", FaultKind::NotTicked),
        (3, "false", FaultKind::NotTicked),
    ] {
        assert_eq!(with(number, text), Err(faults([(number, fault)])), "{number} {text:?}");
    }
    assert_eq!(read(&questions(false), &[(1, ""), (2, " "), (3, "off")]), Ok(vec![]));
}

#[test]
fn the_faults_of_a_sign_up_are_named_together() {
    let refused = SignUpInput::new(" ", "").check(&questions(true), &[]).unwrap_err();
    let answers = [1, 2, 3].map(|number| format!("answers[{}]", id(number)));
    assert_eq!(paths(&refused), [&["name".to_owned(), "email".to_owned()], &answers[..]].concat());
    let none = SignUpInput::default().check(&[], &[]).unwrap_err();
    assert_eq!(paths(&none), ["name", "email"], "there is a first person, even without a row");
}

fn paths(faults: &Faults) -> Vec<String> {
    faults.iter().map(|fault| fault.path.to_string()).collect()
}

#[test]
fn each_further_person_is_a_row_with_faults_of_its_own() {
    let mut input = SignUpInput::new("Ada", "ada@example.org");
    let answered = |name: &'static str, text: &'static str| {
        let mut person = VolunteerInput::new(name);
        person.answers.insert(id(1).to_string().into(), text.into());
        person
    };
    input.people[0] = answered("Ada", "none");
    input.people.extend([
        answered("Bo", "vegan"),
        answered(" ", ""),
        answered("", "none"),
        answered("Cy", ""),
        answered("a\u{2003}D\u{200b}a", "none"),
        answered(" ADA", "none"),
        answered("bo", "none"),
    ]);
    let text = &questions(true)[..1];
    let faults = input.check(text, &[]).unwrap_err();
    let of_answer = format!("people[4].answers[{}]", id(1));
    assert_eq!(paths(&faults), ["people[3].name", &of_answer, "people[6].name", "people[7].name"]);
    assert_eq!(faults.iter().last().unwrap().kind, FaultKind::Repeated);
    input.people.truncate(3);
    let new = input.check(text, &[]).unwrap();
    let names: Vec<_> = new.people.iter().map(|person| person.name.as_str()).collect();
    assert_eq!(names, ["Ada", "Bo"], "an empty row is ignored");
    let answers = new.answers_to(text, &[]).unwrap();
    assert_eq!(
        answers.iter().map(|answers| answers[0].value.as_str()).collect::<Vec<_>>(),
        ["none", "vegan"]
    );
}

#[test]
fn a_typed_form_has_the_same_faults_of_its_people() {
    let twice = ada().and("Bo".parse().unwrap()).and(" ADA ".parse().unwrap());
    assert_eq!(paths(&twice.answers_to(&[], &[]).unwrap_err()), ["people[2].name"]);
    let mut nobody = ada();
    nobody.people.clear();
    assert_eq!(paths(&nobody.answers_to(&[], &[]).unwrap_err()), ["name"]);
    let bo = ada().and("Bo".parse().unwrap()).tick(id(9));
    assert_eq!(
        paths(&bo.check_known(&questions(false)).unwrap_err()),
        [format!("people[1].answers[{}]", id(9))]
    );
}

/// Shifts on the days from 1, each from 09:00 to 12:00.
fn on_days(number: u32) -> Vec<ScheduledShift> {
    (1..=number).map(|day| shift(day, (day, 540, 720, false))).collect()
}

fn shift(number: u32, hours: (u32, u16, u16, bool)) -> ScheduledShift {
    let event = records::event(1, 1);
    let hours = hours.try_into().unwrap();
    ScheduledShift::of(crate::shift::Shift { hours, ..records::shift(&event, number, 5) }, &event)
}

fn people(number: usize) -> NewSignup {
    (1..number).fold(ada(), |new, number| new.and(format!("Ada {number}").parse().unwrap()))
}

#[test]
fn a_form_has_at_most_10_people_and_asks_for_at_most_120_places() {
    for (count, shifts, expected) in
        [(10, 12, &[][..]), (6, 20, &[]), (7, 20, &["shifts"]), (10, 13, &["shifts"]), (11, 1, &["people"])]
    {
        let shifts = on_days(shifts);
        let new = people(count);
        let found = new.answers_to(&[], &shifts).err().unwrap_or_default();
        assert_eq!(paths(&found), expected, "{count} people");
        let rows = new.people.iter().map(|person| VolunteerInput::new(person.name.as_str()));
        let input = SignUpInput { people: rows.collect(), ..SignUpInput::new("", "ada@example.org") };
        let found = input.check(&[], &shifts).err().unwrap_or_default();
        assert_eq!(paths(&found), expected, "{count} untyped people");
    }
}

#[test]
fn shifts_that_overlap_are_a_fault_unless_that_is_accepted() {
    let day = shift(1, (1, 540, 1020, false));
    let noon = shift(2, (1, 720, 780, false));
    let evening = shift(3, (1, 1020, 1140, false));
    let late = shift(4, (1, 960, 1080, false));
    let night = shift(5, (1, 1320, 360, true));
    let morning = shift(6, (2, 300, 420, false));
    let overlapping = |shifts: &[&ScheduledShift]| {
        let shifts: Vec<_> = shifts.iter().map(|shift| (*shift).clone()).collect();
        assert_eq!(ada().accepting_overlaps().answers_to(&[], &shifts), Ok(vec![vec![]]));
        let faults = ada().answers_to(&[], &shifts).err().unwrap_or_default();
        let pair = |fault: &crate::fault::Fault| match fault.kind {
            FaultKind::Overlap { shifts } if fault.path == "overlap" => {
                shifts.map(|shift| shift.uuid().as_u128() & 0xff)
            }
            ref other => panic!("{other:?}"),
        };
        faults.iter().map(pair).collect::<Vec<_>>()
    };
    assert_eq!(overlapping(&[&day, &evening]), [[0; 2]; 0], "one begins when the other ends");
    assert_eq!(overlapping(&[&noon, &day]), [[1, 2]]);
    assert_eq!(overlapping(&[&day, &noon, &late, &evening]), [[1, 2], [1, 4], [4, 3]]);
    assert_eq!(overlapping(&[&night, &morning]), [[5, 6]], "a night ends on the next day");
}
