import CKernels
import ModelFormat
import NetworkRuns
import OperatorSamples
import Operators
import Testing

@testable import Engine

@Suite("Thread teams on a busy machine", .serialized)
struct TeamChoiceTests {
  /// Simulates calls. A call takes the duration `team` on a team of threads, or `alone` on one thread. Returns how many
  /// of the calls after the trials ran on one thread.
  private func aloneCalls(team: UInt64, alone: UInt64) -> Int {
    var choice = TeamChoice()
    var count = 0
    for call in 0..<TeamChoice.period {
      let isAlone: Bool = choice.isAlone
      // A disturbance makes the first two calls of the test 50 times longer.
      choice.note((isAlone ? alone : team) * (call < 2 ? 50 : 1))
      if call >= 2 * TeamChoice.trials, isAlone { count += 1 }
    }
    // After `period` calls, the trials begin again, and the first one uses a team.
    #expect(!choice.isAlone)
    return count
  }

  @Test("A call uses a team or one thread, whichever is faster")
  func choice() {
    let rest: Int = TeamChoice.period - 2 * TeamChoice.trials
    #expect(aloneCalls(team: 10, alone: 4) == rest)
    #expect(aloneCalls(team: 6, alone: 11) == 0)
  }

  @Test("Outputs have the same bits with a team and with one thread")
  func sameBits() throws {
    let shape: Shape = [20, 2, 24, 1, 1]
    let layer = Spec.NeuralNetworkLayer.wideLSTM(inputs: 24, units: 160, isPlain: true)
    let network = try TestNetwork(
      [layer.named("memory", ["x"], "y")], input: shape.dimensions.map(Int64.init)
    ).network()
    let plan = try network.plan(for: [TensorType(shape)])
    #expect(plan.plan.calls.contains { $0.step.synchronizesOften })
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
    ck_limit_spinning(1)
    defer { ck_limit_spinning(0) }
    // Each input is used for two calls in a row. During the trials, calls alternate between a team and one thread, so
    // each input runs on both.
    for call in 0..<4 * TeamChoice.trials {
      #expect(try run(inputs[call / 2 % 2]) == expected[call / 2 % 2])
    }
  }
}
