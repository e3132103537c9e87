import Testing

@testable import ModelTools

/// Tests counting a classifier's correct answers.
@Suite struct ClassifierEvaluationTests {
  private func answer(
    _ truth: String, _ guess: String, _ probabilities: [String: Double], _ source: String = "s"
  ) -> ClassifierEvaluation.Answer {
    ClassifierEvaluation.Answer(
      source: source, truth: truth, guess: guess, probabilities: probabilities)
  }

  private var evaluation: ClassifierEvaluation {
    ClassifierEvaluation(
      [
        answer("cat", "cat", ["cat": 0.8, "dog": 0.2], "a"),
        answer("cat", "dog", ["cat": 0.4, "dog": 0.6], "b"),
        answer("dog", "cat", ["cat": 0.9, "dog": 0.1], "c"),
        answer("dog", "dog", ["cat": 0.3, "dog": 0.7], "d"),
        answer("dog", "cat", ["cat": 0.9, "dog": 0.1], "e"),
      ], order: ["dog", "bird", "cat"])
  }

  @Test("Labels are in the model's order, and labels that do not occur are omitted")
  func matrix() {
    #expect(evaluation.labels == ["dog", "cat"])
    #expect(evaluation.confusionMatrix == [[1, 2], [1, 1]])
  }

  @Test("Correct answers are counted for the first place and for the top five")
  func counts() {
    #expect(evaluation.rightCount == 2)
    #expect(evaluation.rightCount(amongTop: 1) == 2)
    #expect(evaluation.rightCount(amongTop: 2) == 5)
  }

  @Test("A classifier without probabilities has no top-five count")
  func unranked() {
    let evaluation = ClassifierEvaluation([answer("a", "a", [:])], order: [])
    #expect(evaluation.rightCount(amongTop: 5) == nil)
    #expect(evaluation.rightCount == 1)
  }

  @Test("Each label has a recall and a precision")
  func scores() {
    let scores = evaluation.scores
    #expect(scores.map(\.label) == ["dog", "cat"])
    #expect(scores.map(\.recall) == [1.0 / 3, 0.5])
    #expect(scores.map(\.precision) == [0.5, 1.0 / 3])
  }

  @Test("Confusions are sorted by count, and the worst answers by confidence")
  func mistakes() {
    #expect(
      evaluation.confusions == [
        .init(truth: "dog", guess: "cat", count: 2), .init(truth: "cat", guess: "dog", count: 1),
      ])
    #expect(evaluation.worst(2).map(\.source) == ["c", "e"])
  }
}
