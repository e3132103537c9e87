import CKernels
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
    let network = RandomNetwork(seed: 11)
    let plan = try Network(
      try network.graph(), passes: GraphPasses.standard, options: ExecutionOptions(threads: 2)
    ).plan(for: [TensorType(network.inputShape)])
    let count: Int = network.inputShape.count
    let input = ReferenceTensor(network.inputShape, (0..<count).map { Double($0 % 31) / 16 - 1 })
    func run() throws -> ReferenceTensor {
      try plan.withSession { session in
        let port = session.input(0)
        TensorCodec.pack(input, as: port.form, into: port.memory)
        try session.run()
        let output = try session.output(0)
        return TensorCodec.unpack(output.memory, as: output.form)
      }
    }
    let expected: ReferenceTensor = try run()
    ck_wait_briefly(1)
    defer { ck_wait_briefly(0) }
    for _ in 0..<3 * TeamChoice.trials { #expect(try run() == expected) }
  }
}
