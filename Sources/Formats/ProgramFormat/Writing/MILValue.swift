import Graph
import ModelFormat

/// A value of a written program: its name and its type.
package struct MILValue: Sendable {
  /// The value's name in the program.
  package let name: String
  /// The type of the elements.
  package let element: ElementType
  /// The extents. An extent that is not known before run time is nil.
  package let extents: [Int?]

  /// The number of axes.
  package var rank: Int { extents.count }

  /// The value's type as a message.
  var type: Spec.MILSpec.ValueType { .tensor(element, extents) }
}

/// An input of an operation.
package enum MILOperand {
  case value(MILValue)
  case values([MILValue])
  case int(Int)
  case ints([Int])
  case bool(Bool)
  case bools([Bool])
  case string(String)
  /// A number, in the floating-point type in which the node computes.
  case real(Float)
  /// Numbers, in the floating-point type in which the node computes.
  case reals([Float])
}

extension Spec.MILSpec.ValueType {
  /// Makes the type of a tensor. An extent that is not known before run time is nil.
  package static func tensor(_ element: ElementType, _ extents: [Int?]) -> Self {
    .making { message in
      message.type = .tensorType(
        .making { tensor in
          tensor.dataType = element.programType
          tensor.rank = Int64(extents.count)
          tensor.dimensions = extents.map { extent in
            .making {
              if let extent {
                $0.dimension = .constant(.making { $0.size = UInt64(max(0, extent)) })
              } else {
                $0.dimension = .unknown(Spec.MILSpec.Dimension.UnknownDimension())
              }
            }
          }
        })
    }
  }

  /// The type of a string.
  static let string: Self = .making { message in
    message.type = .tensorType(.making { $0.dataType = .string })
  }

  /// Makes the type of a state that holds a tensor.
  static func state(_ element: ElementType, _ extents: [Int?]) -> Self {
    .making { message in
      message.type = .stateType(.making { $0.wrappedType = .tensor(element, extents) })
    }
  }
}

extension ElementType {
  /// The element type as a case of the specification's enumeration.
  var programType: Spec.MILSpec.DataType {
    switch self {
    case .float32: .float32
    case .bfloat16: .bfloat16
    case .float16: .float16
    case .float64: .float64
    case .int8: .int8
    case .int32: .int32
    case .int64: .int64
    case .bool: .bool
    case .uint8: .uint8
    case .int16: .int16
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    case .int4: .int4
    case .uint1: .uint1
    case .uint2: .uint2
    case .uint3: .uint3
    case .uint4: .uint4
    case .uint6: .uint6
    }
  }

  /// The name by which the operation `cast` refers to the element type.
  var castName: String {
    switch self {
    case .float16: "fp16"
    case .float32: "fp32"
    case .bool: "bool"
    default: "\(self)"
    }
  }

  /// The type that such elements have in a weight file. Nil for types that only the program itself can store.
  package var blobType: BlobFile.DataType? {
    switch self {
    case .float32: .float32
    case .bfloat16: .bfloat16
    case .float16: .float16
    case .int8: .int8
    case .int32: .int32
    case .uint8: .uint8
    case .int16: .int16
    case .uint16: .uint16
    case .uint32: .uint32
    case .int4: .int4
    case .uint1: .uint1
    case .uint2: .uint2
    case .uint3: .uint3
    case .uint4: .uint4
    case .uint6: .uint6
    case .float64, .int64, .uint64, .bool: nil
    }
  }
}

extension Spec.MILSpec.Value {
  /// Makes a string.
  package static func string(_ text: String) -> Self {
    .making {
      $0.type = .string
      $0.value = .tensor(.strings(.making { $0.values = [text] }))
    }
  }

  /// Makes a list of strings.
  static func strings(_ texts: [String]) -> Self {
    .making { message in
      message.type = .making {
        $0.type = .listType(
          .making {
            $0.type = .string
            $0.length = .making {
              $0.dimension = .constant(.making { $0.size = UInt64(texts.count) })
            }
          })
      }
      message.value = .immediateValue(
        .making { $0.value = .list(.making { $0.values = texts.map { .string($0) } }) })
    }
  }

  /// Makes a tensor whose numbers are stored in the program itself.
  package static func numbers(_ tensor: ReferenceTensor, _ element: ElementType) -> Self {
    .making { message in
      message.type = .tensor(element, tensor.shape.dimensions.map { $0 })
      let content: Spec.MILSpec.TensorValue.OneOfValue
      switch element {
      case .float32:
        content = .floats(.making { $0.values = FloatValues(tensor.reals.map { Float($0) }) })
      case .bool: content = .bools(.making { $0.values = tensor.reals.map { $0 != 0 } })
      case .int32:
        content = .ints(.making { $0.values = tensor.integers.map { Int32(clamping: $0) } })
      case .int64: content = .longInts(.making { $0.values = tensor.integers.map(Int64.init) })
      default:
        content = .bytes(.making { $0.values = ByteValues(tensor.packedBytes(of: element)) })
      }
      message.value = .tensor(content)
    }
  }
}

extension Spec.MILSpec.Value {
  /// Makes a tensor whose numbers are in the weight file. `offset` is the offset of the blob's record in that file, in
  /// bytes.
  package static func blob(at offset: UInt64, _ element: ElementType, _ shape: Shape) -> Self {
    .making {
      $0.type = .tensor(element, shape.dimensions.map { $0 })
      $0.value = .blobFileValue(
        .making {
          $0.fileName = ModelPackage.weightFileName
          $0.offset = offset
        })
    }
  }
}

extension Spec.MILSpec.Operation {
  /// Makes the operation that defines a constant.
  package static func constant(
    named name: String, type: Spec.MILSpec.ValueType?, _ value: Spec.MILSpec.Value
  ) -> Self {
    .making("const", named: name, attributes: ["val": value], outputs: [(name, type)])
  }

  /// Makes an operation. `inputs` maps the names of its inputs to the names of the values that it reads.
  package static func making(
    _ type: String, named name: String, inputs: [String: String] = [:],
    attributes: [String: Spec.MILSpec.Value] = [:],
    outputs: [(name: String, type: Spec.MILSpec.ValueType?)]
  ) -> Self {
    .making {
      $0.type = type
      $0.inputs = inputs.mapValues { name in
        .making { $0.arguments = [.making { $0.binding = .name(name) }] }
      }
      $0.attributes = attributes
      $0.attributes["name"] = .string(name)
      $0.outputs = outputs.map { output in
        .making {
          $0.name = output.name
          $0.type = output.type
        }
      }
    }
  }
}

extension Spec.MILSpec.Value.OneOfValue {
  static func tensor(_ content: Spec.MILSpec.TensorValue.OneOfValue) -> Self {
    .immediateValue(.making { $0.value = .tensor(.making { $0.value = content }) })
  }
}
