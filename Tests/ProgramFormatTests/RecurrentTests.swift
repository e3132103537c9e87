import Engine
import ModelFormat
import Testing

@testable import ProgramFormat

/// Compares our results with those of PyTorch 2.
@Suite("Recurrent operations of programs")
struct RecurrentTests {
  private typealias Draft = ProgramDraft

  private static func isNear(_ made: [Float], _ expected: [Float]) -> Bool {
    made.count == expected.count && zip(made, expected).allSatisfy { abs($0 - $1) < 1e-5 }
  }

  @Test("The pre-activation sums of a recurrent network are not clamped")
  func unbounded() throws {
    var draft = ProgramDraft()
    draft.inputs = [
      Draft.named("x", Draft.tensor([3, 1, 1])), Draft.named("h", Draft.tensor([1, 1])),
    ]
    draft.operations = [
      Draft.operation(
        "rnn",
        [
          "x": ["x"], "initial_h": ["h"], "weight_ih": [Draft.floats([1, 1], [2])],
          "weight_hh": [Draft.floats([1, 1], [1])], "activation": [Draft.string("linear")],
          "output_sequence": [Draft.bool(true)], "direction": [Draft.string("reverse")],
        ], [("y", Draft.tensor([3, 1, 1])), ("last", Draft.tensor([1, 1]))])
    ]
    draft.outputs = ["y", "last"]
    let made = try draft.run([([3, 1, 1], [10, 20, 30]), ([1, 1], [5])])
    #expect(made == [[65, 105, 125], [125]])
  }

  @Test("A GRU's reset gate may multiply the recurrent matrix product")
  func resetsRecursion() throws {
    var draft = ProgramDraft()
    draft.inputs = [
      Draft.named("x", Draft.tensor([nil, 1, 2])), Draft.named("h", Draft.tensor([1, 2])),
    ]
    draft.operations = [
      Draft.operation(
        "gru",
        [
          "x": ["x"], "initial_h": ["h"], "reset_after": [Draft.bool(true)],
          "output_sequence": [Draft.bool(true)],
          "weight_ih": [
            Draft.floats(
              [6, 2], [0.5, -0.25, 0.125, 0.75, 1, 0.5, -0.5, 0.25, -0.5, 0.5, 0.25, -0.75])
          ],
          "weight_hh": [
            Draft.floats(
              [6, 2], [0.25, 0.5, -0.5, 0.125, -0.5, 1, 0.25, 0.75, 0.75, -0.25, 0.5, 0.5])
          ],
          "input_bias": [Draft.floats([6], [0.1, -0.2, -0.5, 0.6, 0.3, 0.4])],
          "bias": [Draft.floats([6], [-0.1, 0.2, 0.7, -0.8, 0.5, -0.3])],
        ], [("y", Draft.tensor([nil, 1, 2])), ("last", Draft.tensor([1, 2]))])
    ]
    draft.outputs = ["y", "last"]
    let made = try draft.run([([3, 1, 2], [1, 2, -1, 0.5, 0.25, -2]), ([1, 2], [0.5, -0.5])])
    #expect(
      Self.isNear(
        made[0], [0.55685699, -0.28998843, 0.39672488, 0.27925906, -0.12837061, 0.23347822]))
    #expect(Self.isNear(made[1], [-0.12837061, 0.23347822]))
  }

  @Test("A bidirectional LSTM returns both directions")
  func bothDirections() throws {
    var draft = ProgramDraft()
    draft.inputs = [
      Draft.named("x", Draft.tensor([3, 1, 1])), Draft.named("h", Draft.tensor([1, 2])),
      Draft.named("c", Draft.tensor([1, 2])),
    ]
    draft.operations = [
      Draft.operation(
        "lstm",
        [
          "x": ["x"], "initial_h": ["h"], "initial_c": ["c"],
          "direction": [Draft.string("bidirectional")], "output_sequence": [Draft.bool(true)],
          "weight_ih": [Draft.floats([4, 1], [0.5, -0.25, 1, 0.75])],
          "weight_hh": [Draft.floats([4, 1], [0.25, 0.5, 0.125, -0.5])],
          "bias": [Draft.floats([4], [0.1, 0.2, 0.4, 0.3])],
          "weight_ih_back": [Draft.floats([4, 1], [-0.5, 0.25, -1, 0.5])],
          "weight_hh_back": [Draft.floats([4, 1], [0.75, -0.5, 0.5, 0.25])],
        ],
        [
          ("y", Draft.tensor([3, 1, 2])), ("lastH", Draft.tensor([1, 2])),
          ("lastC", Draft.tensor([1, 2])),
        ])
    ]
    draft.outputs = ["y", "lastH", "lastC"]
    let made = try draft.run([
      ([3, 1, 1], [1, 2, -1]), ([1, 2], [0.5, -0.5]), ([1, 2], [0.25, 1]),
    ])
    #expect(
      Self.isNear(
        made[0], [0.42719978, 0.09803308, 0.69645452, 0.04250221, 0.13805039, 0.13756846]))
    #expect(Self.isNear(made[1], [0.13805039, 0.09803308]))
    #expect(Self.isNear(made[2], [0.38682762, 0.37563565]))
  }
}
