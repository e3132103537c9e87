import Graph
import ModelFormat

/// The value of a name while the program is read.
package enum ProgramValue: Sendable {
  /// A tensor. It may be constant.
  case tensor(ProgramTensor)
  /// A list of tensors of equal shapes, stored as one tensor with an additional first axis.
  case list(ProgramTensor)
  /// Constant strings.
  case strings([String])
  /// The state with this name.
  case state(String)
}

/// A tensor of a program: its value in the graph and its type in the program.
///
/// The graph stores `float16`, booleans, and integers of 8 and 16 bits as `float32`. See ``ElementType/held``. The type
/// in the program determines how results are rounded.
package struct ProgramTensor: Sendable {
  /// The value in the graph.
  package var id: Graph.ValueID
  /// The element type in the program.
  package var element: ElementType
  /// The extents in the program. For a list, the extents of each element. An extent that is not known before run time
  /// is nil. If the rank is unknown, the whole property is nil.
  package var extents: [Int?]?
  /// The values of a constant tensor. Nil for other tensors.
  package var constant: Constant?
  /// For a list, whether a write after the end of the list makes the list longer.
  package var grows = false

  /// Makes a tensor of a program from a value of the graph.
  package init(
    _ id: Graph.ValueID, _ element: ElementType, _ extents: [Int?]?, constant: Constant? = nil
  ) {
    self.id = id
    self.element = element
    self.extents = extents
    self.constant = constant
  }

  /// The number of axes. Nil if the number is unknown.
  package var rank: Int? { extents?.count }
}

extension ElementType {
  /// The type in which a graph stores elements of this type of a program.
  ///
  /// `float16` is stored as `float32`, and the result of every operation that computes is rounded to `float16`. Core ML
  /// allows this, because a type in a program states the minimum precision. The graph stores booleans and integers of
  /// 16 bits or fewer as `float32`. That type represents them exactly and has the fastest kernels.
  package var held: ElementType {
    switch self {
    case .int32, .int64, .uint32, .uint64: .int32
    default: .float32
    }
  }
}

/// The type of a value in a program.
package struct WrittenType: Sendable, Equatable {
  /// The kind of value that has the type.
  package enum Kind: Sendable, Equatable {
    case tensor
    case list
    case state
    case string
  }

  /// Whether the value is a tensor, a list of tensors, a state, or a string.
  package var kind: Kind
  /// The type of the elements. `float32` for strings.
  package var element: ElementType
  /// The extents. An unknown extent is nil. If the rank is unknown, the whole property is nil.
  package var extents: [Int?]?

  /// Reads a type from its message. Nil for tuples and dictionaries, for which there is no ``Kind``.
  ///
  /// - Throws: `unsupported` for element types that this reader does not support.
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
  /// Converts a data type of the specification to an element type.
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
