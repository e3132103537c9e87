import Engine
import Foundation
import Platform

/// A tensor that a network keeps between predictions.
struct NetworkState: Sendable {
  /// The name in the program.
  let name: String
  /// The type of the graph's tensor.
  let type: TensorType
  /// The element type that the program writes, which is that of the memory.
  let written: MLMultiArrayDataType
  /// The position among the plan's inputs.
  let input: Int
  /// The position among the plan's outputs; nil where the network only reads it.
  let output: Int?
}

/// The memory of the states of one ``MLState``, for one prediction at a time.
final class StateMemory: @unchecked Sendable {
  // `@unchecked Sendable`: the arrays are only touched while the lock is held.

  let states: [NetworkState]
  private let arrays: [MLMultiArray]
  private let lock = NSLock()

  /// Zeros.
  init(_ states: [NetworkState]) throws {
    self.states = states
    arrays = try states.map { state in
      let layout = ArrayLayout(shape: state.type.shape.dimensions)
      let array = MLMultiArray(
        memory: try ArrayMemory(claiming: layout.count * state.written.byteCount), layout: layout,
        dataType: state.written)
      memset(array.memory.start, 0, layout.count * state.written.byteCount)
      return array
    }
  }

  /// Calls the closure while nobody else predicts with these states.
  func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  /// The memory of a state; nil for a name that is none.
  func array(named name: String) -> MLMultiArray? {
    states.firstIndex { $0.name == name }.map { arrays[$0] }
  }

  /// Throws where the memory was made by another model.
  func requireStates(_ others: [NetworkState]) throws {
    guard states.map(\.name) == others.map(\.name), states.map(\.type) == others.map(\.type) else {
      throw MLModelError(
        .parameters,
        "The state was made by another model; make one with this model's makeState().")
    }
  }

  /// Gives a session the values.
  func write(to session: Session) throws {
    for (state, array) in zip(states, arrays) {
      let port: BorderTensor = session.input(state.input)
      TensorTransfer.read(array, into: port.memory, as: port.form)
    }
  }

  /// Takes what a session has made.
  func read(from session: Session) throws {
    for (state, array) in zip(states, arrays) {
      guard let output = state.output else { continue }
      let port: BorderTensor = try session.output(output)
      TensorTransfer.write(port.memory, as: port.form, into: array)
    }
  }
}
