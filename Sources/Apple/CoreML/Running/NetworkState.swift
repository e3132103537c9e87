import Engine
import Foundation
import Platform

/// A tensor that a network keeps between predictions.
struct NetworkState: Sendable {
  /// The name in the program.
  let name: String
  /// The type of the graph's tensor, which is that of the memory.
  let type: TensorType
  /// The element type that the program writes, in which the user sees it.
  let written: MLMultiArrayDataType
  /// Where it is among the plan's inputs and outputs.
  let kept: Graph.Kept
}

/// The memory of the states of one ``MLState``, for one prediction at a time. Sessions compute in it.
final class StateMemory: @unchecked Sendable {
  // `@unchecked Sendable`: all that changes is only touched by whoever has the lock.

  let states: [NetworkState]
  /// Whoever touches the memory has it.
  let lock = StateLock()
  private let memories: [ArrayMemory]
  private var isPredicting = false

  /// Zeros.
  init(_ states: [NetworkState]) throws {
    self.states = states
    memories = try states.map { state in
      let memory = try ArrayMemory(claiming: state.type.shape.count * state.type.element.byteCount)
      memset(memory.start, 0, memory.byteCount)
      return memory
    }
  }

  /// Calls the closure, which predicts with these states.
  ///
  /// - Throws: ``MLModelError`` where this is called from within a prediction with them, as a custom layer may do.
  func predicting<Result>(_ body: () throws -> Result) throws -> Result {
    guard !isPredicting else {
      throw MLModelError(
        .generic,
        "The state is in use by the prediction that this prediction is called from; use a state of its own."
      )
    }
    isPredicting = true
    defer { isPredicting = false }
    return try body()
  }

  /// Calls the closure with a state as an array of the type that the program writes; what it changes is kept.
  func withArray<Result>(
    at position: Int, _ body: (MLMultiArray) throws -> Result
  ) rethrows -> Result {
    let (state, memory) = (states[position], memories[position])
    let layout = ArrayLayout(shape: state.type.shape.dimensions)
    let held: MLMultiArrayDataType = state.type.element == .int32 ? .int32 : .float32
    let array = MLMultiArray(memory: memory, layout: layout, dataType: held)
    guard state.written != held else { return try body(array) }
    let shown = MLMultiArray(
      memory: ArrayMemory(byteCount: layout.count * state.written.byteCount), layout: layout,
      dataType: state.written)
    array.transfer(to: shown)
    defer { shown.transfer(to: array) }
    return try body(shown)
  }

  /// Throws where the memory was made by another model.
  func requireStates(_ others: [NetworkState]) throws {
    guard states.map(\.name) == others.map(\.name), states.map(\.type) == others.map(\.type) else {
      throw MLModelError(
        .parameters,
        "The state was made by another model; make one with this model's makeState().")
    }
  }

  /// Lets a session compute in this memory. The states are those of its network, which may number its inputs and
  /// outputs otherwise than the one that the memory was made by.
  func bind(to session: Session, as states: [NetworkState]) {
    for (memory, state) in zip(memories, states) { session.bind(memory.start, to: state.kept) }
  }
}
