import Graph
import ModelFormat

/// What a name of a program stands for while the program is read.
package enum ProgramValue: Sendable {
  /// A tensor, constant or not.
  case tensor(ProgramTensor)
  /// A list of tensors of one shape, kept as one tensor with a leading axis.
  case list(ProgramTensor)
  /// Constant strings.
  case strings([String])
  /// A state, by its name.
  case state(String)
}

/// A tensor of a program: where it is in the graph, and the type that the program writes.
///
/// The graph holds `float16`, truth values and whole numbers of 8 and 16 bits as `float32`, see
/// ``ElementType/held``; the type that was written says how results are rounded.
package struct ProgramTensor: Sendable {
  /// The value in the graph.
  package var id: Graph.ValueID
  /// The element type that the program writes.
  package var element: ElementType
  /// The extents that the program writes, of a list those of its elements; nil where they are not known
  /// before the network runs. Nil altogether for a tensor of any rank.
  package var extents: [Int?]?
  /// The values where the program states them.
  package var constant: Constant?
  /// Whether a list becomes longer when it is written to after its end.
  package var grows = false

  /// A tensor in a graph.
  package init(
    _ id: Graph.ValueID, _ element: ElementType, _ extents: [Int?]?, constant: Constant? = nil
  ) {
    self.id = id
    self.element = element
    self.extents = extents
    self.constant = constant
  }

  /// The number of axes; nil for a tensor of any rank.
  package var rank: Int? { extents?.count }
}

extension ElementType {
  /// The type in which a graph holds elements that a program writes with this one.
  ///
  /// `float16` is computed as `float32` and rounded after every operation that computes, as Apple's
  /// contract allows: the written type is the least precision. Truth values and whole numbers of 16 bits
  /// or less are exact in `float32`, whose kernels are the fast ones.
  package var held: ElementType {
    switch self {
    case .int32, .int64, .uint32, .uint64: .int32
    default: .float32
    }
  }
}

/// A type as a program writes it.
package struct WrittenType: Sendable, Equatable {
  /// What it is a type of.
  package enum Kind: Sendable, Equatable {
    case tensor
    case list
    case state
    case string
  }

  /// Tensor, list of tensors, state, or string.
  package var kind: Kind
  /// The type of the elements; `float32` for strings.
  package var element: ElementType
  /// The extents; nil altogether for any rank.
  package var extents: [Int?]?

  /// The type of a message; nil for tuples and dictionaries, which no tensor is made of.
  ///
  /// - Throws: `unsupported` for element types that nothing here computes with.
  package init?(_ message: Spec.MILSpec.ValueType?) throws {
    switch message?.type {
    case .tensorType(let tensor)?:
      guard tensor.dataType != .string else {
        self.init(kind: .string, element: .float32, extents: [])
        return
      }
      self.init(
        kind: .tensor, element: try ElementType(tensor.dataType), extents: Self.extents(of: tensor))
    case .listType(let list)?:
      guard let inner = try WrittenType(list.type) else { return nil }
      self.init(
        kind: inner.kind == .string ? .string : .list, element: inner.element,
        extents: inner.extents)
    case .stateType(let state)?:
      guard let inner = try WrittenType(state.wrappedType) else { return nil }
      self.init(kind: .state, element: inner.element, extents: inner.extents)
    default: return nil
    }
  }

  private init(kind: Kind, element: ElementType, extents: [Int?]?) {
    self.kind = kind
    self.element = element
    self.extents = extents
  }

  private static func extents(of tensor: Spec.MILSpec.TensorType) -> [Int?]? {
    let isOfAnyRank: Bool =
      tensor.rank < 0
      || tensor.dimensions.contains {
        if case .unknown(let unknown)? = $0.dimension { return unknown.variadic }
        return false
      }
    if isOfAnyRank { return nil }
    return tensor.dimensions.map { dimension in
      guard case .constant(let constant)? = dimension.dimension else { return nil }
      return Int(clamping: min(constant.size, 1 << 40))
    }
  }
}

extension ElementType {
  /// The element type of a message's data type.
  package init(_ type: Spec.MILSpec.DataType) throws {
    switch type {
    case .bool: self = .bool
    case .float16: self = .float16
    case .float32: self = .float32
    case .float64: self = .float64
    case .bfloat16: self = .bfloat16
    case .int8: self = .int8
    case .int16: self = .int16
    case .int32: self = .int32
    case .int64: self = .int64
    case .int4: self = .int4
    case .uint8: self = .uint8
    case .uint16: self = .uint16
    case .uint32: self = .uint32
    case .uint64: self = .uint64
    case .uint4: self = .uint4
    case .uint2: self = .uint2
    case .uint1: self = .uint1
    case .uint6: self = .uint6
    case .uint3: self = .uint3
    default:
      throw EngineError(
        .unsupported,
        "numbers of type \(type) are not supported; write the program with float16 or float32.")
    }
  }
}
