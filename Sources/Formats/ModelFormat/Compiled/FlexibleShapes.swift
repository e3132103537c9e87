/// The lengths that a function's inputs may have. Apple's compiler stores these lengths in the function's attribute
/// `FlexibleShapeInformation`, as two dictionaries whose keys are input names.
struct FlexibleShapes {
  static let attribute = "FlexibleShapeInformation"
  private static let defaultsKey = "DefaultShapes"
  private static let rangesKey = "RangeDims"

  /// The default length of each dimension. The keys are input names.
  var defaults: [String: [Int64]] = [:]
  /// The smallest and the largest length of each dimension. The keys are input names.
  var ranges: [String: [[Int64]]] = [:]

  /// Takes the lengths from the inputs' descriptions. Inputs without ranges are left out.
  init(_ inputs: [Spec.FeatureDescription]) {
    for input in inputs {
      guard case .multiArrayType(let array)? = input.type?.type,
        case .shapeRange(let range)? = array.shapeFlexibility
      else { continue }
      let bounds: [[Int64]] = range.sizeRanges.map {
        [Int64(clamping: $0.lowerBound), $0.upperBound]
      }
      ranges[input.name] = bounds
      defaults[input.name] = array.shape.isEmpty ? bounds.map { $0[0] } : array.shape
    }
  }

  /// Reads the attribute. Nil if its value does not have the compiler's form.
  init?(_ attribute: Spec.MILSpec.Value) {
    guard let parts = attribute.tupleValues else { return nil }
    for part in parts {
      guard let pair = part.tupleValues, pair.count == 2,
        case .strings(let name)? = pair[0].tensor,
        case .immediateValue(let immediate)? = pair[1].value,
        case .dictionary(let dictionary)? = immediate.value
      else { return nil }
      for entry in dictionary.values {
        guard case .strings(let key)? = entry.key?.tensor, let input = key.values.first else {
          return nil
        }
        switch name.values.first {
        case Self.defaultsKey: defaults[input] = entry.value?.numbers
        case Self.rangesKey: ranges[input] = entry.value?.listValues?.compactMap(\.numbers)
        default: break
        }
      }
    }
  }

  /// The attribute's value. Nil if no input has ranges.
  var value: Spec.MILSpec.Value? {
    guard !ranges.isEmpty else { return nil }
    let shape: Spec.MILSpec.ValueType = .tensor(of: .int32, [nil])
    let bounds: Spec.MILSpec.ValueType = .tensor(of: .int32, [2])
    let boundsList: Spec.MILSpec.ValueType = .making {
      $0.type = .listType(
        .making {
          $0.type = bounds
          $0.length = .unknown()
        })
    }
    return .tuple([
      .tuple([
        .string(Self.defaultsKey), .dictionary(to: shape, defaults.mapValues { .numbers($0) }),
      ]),
      .tuple([
        .string(Self.rangesKey),
        .dictionary(
          to: boundsList,
          ranges.mapValues { list in
            .making {
              $0.type = boundsList
              $0.value = .immediateValue(
                .making {
                  $0.value = .list(.making { $0.values = list.map { .numbers($0) } })
                })
            }
          }),
      ]),
    ])
  }
}

extension Spec.MILSpec.ValueType {
  fileprivate static func tensor(of element: Spec.MILSpec.DataType, _ lengths: [UInt64?]) -> Self {
    .making {
      $0.type = .tensorType(
        .making {
          $0.dataType = element
          $0.rank = Int64(lengths.count)
          $0.dimensions = lengths.map { $0.map { .known($0) } ?? .unknown() }
        })
    }
  }
}

extension Spec.MILSpec.Value {
  fileprivate var tupleValues: [Spec.MILSpec.Value]? {
    guard case .immediateValue(let immediate)? = value, case .tuple(let tuple)? = immediate.value
    else { return nil }
    return tuple.values
  }

  fileprivate var listValues: [Spec.MILSpec.Value]? {
    guard case .immediateValue(let immediate)? = value, case .list(let list)? = immediate.value
    else { return nil }
    return list.values
  }

  fileprivate var numbers: [Int64]? {
    guard case .ints(let ints)? = tensor else { return nil }
    return ints.values.map { Int64($0) }
  }

  fileprivate static func immediate(
    _ type: Spec.MILSpec.ValueType, _ value: ImmediateValue.OneOfValue
  ) -> Self {
    .making {
      $0.type = type
      $0.value = .immediateValue(.making { $0.value = value })
    }
  }

  fileprivate static func string(_ text: String) -> Self {
    immediate(
      .tensor(of: .string, []),
      .tensor(.making { $0.value = .strings(.making { $0.values = [text] }) }))
  }

  fileprivate static func numbers(_ values: [Int64]) -> Self {
    let ints: [Int32] = values.map { Int32(clamping: $0) }
    return immediate(
      .tensor(of: .int32, [UInt64(values.count)]),
      .tensor(.making { $0.value = .ints(.making { $0.values = ints }) }))
  }

  fileprivate static func tuple(_ values: [Self]) -> Self {
    immediate(
      .making { $0.type = .tupleType(.making { $0.types = values.compactMap(\.type) }) },
      .tuple(.making { $0.values = values }))
  }

  fileprivate static func dictionary(
    to type: Spec.MILSpec.ValueType, _ entries: [String: Self]
  ) -> Self {
    immediate(
      .making {
        $0.type = .dictionaryType(
          .making {
            $0.keyType = .tensor(of: .string, [])
            $0.valueType = type
          })
      },
      .dictionary(
        .making {
          $0.values = entries.sorted { $0.key < $1.key }.map { key, value in
            .making {
              $0.key = .string(key)
              $0.value = value
            }
          }
        }))
  }
}
