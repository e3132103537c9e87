import CKernels
import ModelFormat
import NetworkRuns
import OperatorSamples
import Operators
import Testing

@testable import Engine

@Suite("Threads where other programs want the processors", .serialized)
struct TeamChoiceTests {
  /// Makes calls that take so long in the one way and the other; how many of the last ones were made alone.
  private func aloneCalls(team: UInt64, alone: UInt64) -> Int {
    var choice = TeamChoice()
    var count = 0
    for call in 0..<TeamChoice.period {
      let isAlone: Bool = choice.isAlone
      // One of the first ones is disturbed.
      choice.note((isAlone ? alone : team) * (call < 2 ? 50 : 1))
      if call >= 2 * TeamChoice.trials, isAlone { count += 1 }
    }
    // After that both ways are tried again.
    #expect(!choice.isAlone)
    return count
  }

  @Test("A call is left to the one way that is faster")
  func choice() {
    let rest: Int = TeamChoice.period - 2 * TeamChoice.trials
    #expect(aloneCalls(team: 10, alone: 4) == rest)
    #expect(aloneCalls(team: 6, alone: 11) == 0)
  }

  @Test("Outputs have the same bits whichever way is taken")
  func sameBits() throws {
    let shape: Shape = [20, 2, 24, 1, 1]
    let layer = Spec.NeuralNetworkLayer.wideLSTM(inputs: 24, units: 160, isPlain: true)
    let network = try TestNetwork(
      [layer.named("memory", ["x"], "y")], input: shape.dimensions.map(Int64.init)
    ).network()
    let plan = try network.plan(for: [TensorType(shape)])
    #expect(plan.plan.calls.contains { $0.step.meetsOften })
    let inputs: [ReferenceTensor] = [31, 29].map { period in
      ReferenceTensor(shape, (0..<shape.count).map { Double($0 % period) / 16 - 1 })
    }
    func run(_ input: ReferenceTensor) throws -> ReferenceTensor {
      try plan.withSession { session in
        session.give([input])
        try session.run()
        return try session.values(ofOutput: 0)
      }
    }
    let expected: [ReferenceTensor] = try inputs.map(run)
    ck_wait_briefly(1)
    defer { ck_wait_briefly(0) }
    // Both inputs both ways, as these take turns.
    for turn in 0..<4 * TeamChoice.trials {
      #expect(try run(inputs[turn / 2 % 2]) == expected[turn / 2 % 2])
    }
  }
}
