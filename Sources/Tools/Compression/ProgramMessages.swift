import ModelFormat

extension Spec.MILSpec.ValueType {
  /// A tensor of known extents.
  init(_ type: Spec.MILSpec.DataType, _ shape: [Int]) {
    var tensor = Spec.MILSpec.TensorType()
    tensor.dataType = type
    tensor.rank = Int64(shape.count)
    tensor.dimensions = shape.map { extent in
      .making { dimension in
        dimension.dimension = .constant(.making { $0.size = UInt64(extent) })
      }
    }
    self.init()
    self.type = .tensorType(tensor)
  }
}

extension Spec.MILSpec.Value {
  /// A string.
  init(_ string: String) {
    self.init(
      type: .string, shape: [],
      .strings(.making { $0.values = [string] }))
  }

  /// A whole number.
  init(_ number: Int) {
    self.init(type: .int32, shape: [], .ints(.making { $0.values = [Int32(clamping: number)] }))
  }

  /// Extents, as the operations of iOS 16 state them.
  init(extents: [Int]) {
    var bytes: [UInt8] = []
    for extent in extents {
      withUnsafeBytes(of: UInt32(clamping: extent).littleEndian) { bytes += Array($0) }
    }
    self.init(
      type: .uint32, shape: [extents.count], .bytes(.making { $0.values = ByteValues(bytes) }))
  }

  private init(
    type: Spec.MILSpec.DataType, shape: [Int], _ values: Spec.MILSpec.TensorValue.OneOfValue
  ) {
    self.init()
    self.type = Spec.MILSpec.ValueType(type, shape)
    value = .immediateValue(
      .making { immediate in immediate.value = .tensor(.making { $0.value = values }) })
  }

  /// Values in the weight file.
  init(_ type: Spec.MILSpec.DataType, _ shape: [Int], at offset: UInt64) {
    self.init()
    self.type = Spec.MILSpec.ValueType(type, shape)
    value = .blobFileValue(
      .making {
        $0.fileName = ModelPackage.weightFileName
        $0.offset = offset
      })
  }

  /// The extents of a tensor's type; nil for other types and extents that are not known.
  var extents: [Int]? {
    guard case .tensorType(let tensor)? = type?.type else { return nil }
    let extents: [Int] = tensor.dimensions.compactMap { dimension in
      guard case .constant(let constant)? = dimension.dimension else { return nil }
      return Int(clamping: min(constant.size, 1 << 40))
    }
    return extents.count == tensor.dimensions.count ? extents : nil
  }

  /// The type of a tensor's elements.
  var dataType: Spec.MILSpec.DataType? {
    guard case .tensorType(let tensor)? = type?.type else { return nil }
    return tensor.dataType
  }
}

extension Spec.MILSpec.Operation {
  /// An operation with one output.
  init(
    _ type: String, name: String, output: Spec.MILSpec.ValueType?,
    inputs: [String: String] = [:], attributes: [String: Spec.MILSpec.Value] = [:]
  ) {
    self.init()
    self.type = type
    self.inputs = inputs.mapValues { name in
      .making { $0.arguments = [.making { $0.binding = .name(name) }] }
    }
    self.attributes = attributes
    self.attributes["name"] = Spec.MILSpec.Value(name)
    outputs = [
      .making {
        $0.name = name
        $0.type = output
      }
    ]
  }

  /// A constant of that name.
  static func constant(_ name: String, _ value: Spec.MILSpec.Value) -> Spec.MILSpec.Operation {
    Spec.MILSpec.Operation("const", name: name, output: value.type, attributes: ["val": value])
  }
}
