import Engine
import Foundation
import Platform

/// A tensor that a network reads and updates with every prediction.
struct NetworkState: Sendable {
  /// The state's name in the program.
  let name: String
  /// The type that the tensor has in the graph.
  let type: TensorType
  /// The type of the elements in memory.
  let storage: ElementType
  /// The element type that the program declares. Callers see the elements in this type.
  let visibleType: MLMultiArrayDataType
  /// The index of the state among the plan's inputs, and its index among the plan's outputs.
  let port: Graph.State
}

/// The memory of one ``MLState``. One prediction at a time uses the memory, and the prediction's session reads and
/// writes the memory in place.
final class StateMemory: @unchecked Sendable {
  // `@unchecked Sendable`: only the owner of the lock uses the mutable properties.

  let states: [NetworkState]
  /// Protects the memory.
  let lock = StateLock()
  private let memories: [ArrayMemory]
  /// The size of the states in memory, in bytes.
  var byteCount: Int { memories.reduce(0) { $0 + $1.byteCount } }
  /// Whether a prediction with these states is running.
  private var isPredicting = false

  /// Allocates memory for the states and fills it with zeros.
  init(_ states: [NetworkState]) throws {
    self.states = states
    memories = try states.map { state in
      let memory = try ArrayMemory(claiming: state.storage.byteCount(of: state.type.shape.count))
      memset(memory.start, 0, memory.byteCount)
      return memory
    }
  }

  /// Calls a closure that predicts with these states.
  ///
  /// - Throws: ``MLModelError`` if a prediction with these states is already running on this thread. Such a call comes
  ///   from a custom layer that predicts with the same state.
  func predicting<Result>(_ body: () throws -> Result) throws -> Result {
    guard !isPredicting else {
      throw MLModelError(
        .generic,
        "The state is in use by the prediction that calls this one; use another state."
      )
    }
    isPredicting = true
    defer { isPredicting = false }
    return try body()
  }

  /// Calls the closure with a state as an array of the declared type. Changes to the array change the state.
  func withArray<Result>(
    at position: Int, _ body: (MLMultiArray) throws -> Result
  ) rethrows -> Result {
    let (state, memory) = (states[position], memories[position])
    let layout = ArrayLayout(shape: state.type.shape.dimensions)
    let storedType: MLMultiArrayDataType =
      switch state.storage {
      case .int32: .int32
      case .float16: .float16
      default: .float32
      }
    let array = MLMultiArray(memory: memory, layout: layout, dataType: storedType)
    guard state.visibleType != storedType else { return try body(array) }
    let shown = MLMultiArray(
      memory: ArrayMemory(byteCount: layout.count * state.visibleType.byteCount), layout: layout,
      dataType: state.visibleType)
    array.transfer(to: shown)
    defer { shown.transfer(to: array) }
    return try body(shown)
  }

  /// Throws if the states for which this memory was made differ from `others` in their names or types.
  func requireStates(_ others: [NetworkState]) throws {
    guard states.map(\.name) == others.map(\.name), states.map(\.type) == others.map(\.type),
      states.map(\.storage) == others.map(\.storage)
    else {
      throw MLModelError(
        .parameters,
        "Another model made this state; make one with this model's makeState().")
    }
  }

  /// Binds this memory to a session.
  ///
  /// - Parameter states: The states of the session's network. Their indices may differ from the indices in the network
  ///   for which the memory was made.
  func bind(to session: Session, as states: [NetworkState]) {
    for (memory, state) in zip(memories, states) { session.bind(memory.start, to: state.port) }
  }
}
