import Engine
import Testing

@testable import Training

@Suite("A trainer's state")
struct TrainerStateTests {
  private func state() -> TrainerState {
    let value = Graph.ValueID(0)
    var state = TrainerState(
      [
        TrainingParameter(
          layer: "a", role: .weights, shape: [2, 3], initial: [1, 2, 3, 4, 5, 6], value: value),
        TrainingParameter(layer: "a", role: .bias, shape: [2], initial: [-1, .pi], value: value),
      ], stateCount: 2)
    state.stepCount = 41
    state.moments[0][1][5] = .leastNonzeroMagnitude
    return state
  }

  @Test("A trainer's state survives a round trip through bytes, bit for bit")
  func roundTrip() throws {
    #expect(try TrainerState(bytes: state().bytes) == state())
  }

  @Test("A trainer's state that is truncated anywhere is refused with a message")
  func cutOff() throws {
    let bytes: [UInt8] = state().bytes
    for length in 0..<bytes.count {
      #expect(throws: EngineError.self) { try TrainerState(bytes: Array(bytes[..<length])) }
    }
    #expect(throws: EngineError.self) { try TrainerState(bytes: bytes + [0]) }
  }
}
