import Graph
import ModelFormat

/// States: tensors that keep their values between predictions. A read returns the newest value of a state. A write
/// replaces this value.
///
/// coremltools' `coreml_update_state` is a write. If the program uses its result, it is also a read.
enum StateReaders {
  static let all: [OperationReader] = [
    OperationReader("read_state", since: .iOS18, as: [], .exact) { operation in
      [.same(.tensor(try operation.newest(try operation.state("input"))))]
    },
    OperationReader("write_state", since: .iOS18, as: [], .exact, hasNoOutput: true) { operation in
      let name: String = try operation.state("input")
      try write(try operation.tensor("data"), to: name, operation)
      return []
    },
    OperationReader("coreml_update_state", since: .iOS18, as: [], .exact) { operation in
      let name: String = try operation.state("state")
      try write(try operation.tensor("value"), to: name, operation)
      return [.same(.tensor(try operation.newest(name)))]
    },
  ]

  private static func write(
    _ data: ProgramTensor, to name: String, _ operation: ProgramOperation
  ) throws {
    let state: ProgramTensor = try operation.newest(name)
    guard state.element == data.element, state.extents?.count == data.extents?.count,
      zip(state.extents ?? [], data.extents ?? []).allSatisfy({ $0 == nil || $1 == nil || $0 == $1 }
      )
    else {
      throw operation.invalid(
        "the state '\(name)' is \(text(state)), but the value written to it is \(text(data)).")
    }
    var newest: ProgramTensor = data
    newest.extents = state.extents
    operation.builder.states[name] = newest
  }

  private static func text(_ tensor: ProgramTensor) -> String {
    let extents: [String]? = tensor.extents?.map { $0.map(String.init) ?? "?" }
    return "\(extents?.joined(separator: " × ") ?? "of any rank") of \(tensor.element)"
  }
}

extension ProgramOperation {
  /// Returns the name of the state that an input refers to.
  fileprivate func state(_ input: String) throws -> String {
    guard case .state(let name) = try value(input) else {
      throw invalid("'\(input)' is not a state.")
    }
    return name
  }

  /// Returns the newest value of a state.
  fileprivate func newest(_ name: String) throws -> ProgramTensor {
    guard let tensor = builder.states[name] else {
      throw invalid("the function has no state '\(name)'.")
    }
    return tensor
  }
}

extension [Spec.MILSpec.Block] {
  /// Returns the names of the states that these blocks and the blocks nested in them read or write.
  func stateNames() -> (read: Set<String>, written: Set<String>) {
    var (read, written): (Set<String>, Set<String>) = ([], [])
    for operation in flatMap(\.operations) {
      func names(_ inputs: String...) -> [String] {
        inputs.flatMap { operation.inputs[$0]?.arguments ?? [] }.compactMap { binding in
          guard case .name(let name)? = binding.binding else { return nil }
          return name
        }
      }
      switch operation.type {
      case "read_state": read.formUnion(names("input"))
      case "write_state", "coreml_update_state": written.formUnion(names("input", "state"))
      default:
        let inner = operation.blocks.stateNames()
        read.formUnion(inner.read)
        written.formUnion(inner.written)
      }
    }
    return (read, written)
  }
}
