extension MILTextWriter {
  /// Writes a type. Writes `unknown` if `type` is nil.
  mutating func add(_ type: Spec.MILSpec.ValueType?) {
    switch type?.type {
    case .tensorType(let tensor)?:
      let isScalar: Bool = tensor.rank == 0 && tensor.dimensions.isEmpty
      guard !isScalar || !namesScalars else { return add(tensor.dataType.textName) }
      add("tensor<\(tensor.dataType.textName), ")
      if tensor.rank < 0 {
        add("*")
      } else {
        add("[")
        addList(tensor.dimensions) { writer, dimension in writer.add(dimension) }
        add("]")
      }
      add(">")
    case .listType(let list)?:
      add("list<")
      add(list.type)
      add(", ")
      add(list.length ?? .unknown())
      add(">")
    case .tupleType(let tuple)?:
      add("tuple<")
      addList(tuple.types) { writer, type in writer.add(type) }
      add(">")
    case .dictionaryType(let dictionary)?:
      add("dict<")
      add(dictionary.keyType)
      add(", ")
      add(dictionary.valueType)
      add(">")
    case .stateType(let state)?:
      add("state<")
      add(state.wrappedType)
      add(">")
    case nil:
      add(MILTextNames.unknownType)
    }
  }

  private mutating func add(_ dimension: Spec.MILSpec.Dimension) {
    switch dimension.dimension {
    case .constant(let constant)?: add(String(constant.size))
    case .unknown(let unknown)? where unknown.variadic: add("...")
    default: add("?")
    }
  }

  /// Writes a value with its type: `fp32(0x1p+0)`.
  mutating func addTyped(_ value: Spec.MILSpec.Value) {
    var value: Spec.MILSpec.Value = value
    if value.type == nil { value.type = value.tensor?.impliedType }
    add(value.type)
    add("(")
    add(value)
    add(")")
  }

  private mutating func add(_ value: Spec.MILSpec.Value) {
    switch value.value {
    case .blobFileValue(let file)?:
      add(namesScalars ? "BLOBFILE(path = string(" : "BLOBFILE(path = tensor<string, []>(")
      addString(file.fileName)
      add(namesScalars ? "), offset = uint64(" : "), offset = tensor<uint64, []>(")
      add("\(file.offset)))")
    case .immediateValue(let immediate)?:
      switch immediate.value {
      case .tensor(let tensor)?: add(tensor, of: value.type)
      case .tuple(let tuple)?:
        add("(")
        addList(tuple.values) { writer, value in writer.add(value) }
        add(")")
      case .list(let list)?:
        add("[")
        addList(list.values) { writer, value in writer.add(value) }
        add("]")
      case .dictionary(let dictionary)?:
        add("{")
        addList(dictionary.values) { writer, pair in writer.add(pair) }
        add("}")
      case nil: break
      }
    case nil: break
    }
  }

  private mutating func add(_ pair: Spec.MILSpec.DictionaryValue.KeyValuePair) {
    add("{")
    if let key = pair.key { add(key) }
    add(", ")
    if let value = pair.value { add(value) }
    add("}")
  }

  // MARK: Tensors

  private mutating func add(_ tensor: Spec.MILSpec.TensorValue, of type: Spec.MILSpec.ValueType?) {
    var tensorType = Spec.MILSpec.TensorType()
    if case .tensorType(let stated)? = type?.type { tensorType = stated }
    let stated: [Int?] = tensorType.dimensions.map { $0.length.map { Int(clamping: $0) } }
    guard let elements = tensor.value else { return add("[]") }
    let stored: Int = elements.count(of: tensorType.dataType)
    let expected: Int = stated.reduce(1) { product, length in
      let (next, overflows) = product.multipliedReportingOverflow(by: length ?? 1)
      return overflows ? .max : next
    }
    // The last byte of packed elements may have unused bits.
    let isPadded: Bool =
      if case .bytes(let bytes) = elements, expected < stored {
        (expected * tensorType.dataType.bitWidth + 7) / 8 == bytes.values.count
      } else { false }
    let count: Int = isPadded && !stated.contains(nil) ? expected : stored
    if stated.isEmpty, count == 1 {
      return add(elements, at: 0, of: tensorType.dataType)
    }
    var position = 0
    addNested(
      elements, of: tensorType.dataType,
      lengths: Self.lengths(stated, count: count) ?? [count], level: 0, position: &position)
  }

  /// Returns the lengths of all dimensions of a tensor of `count` elements. One unknown length follows from `count` and
  /// the other lengths. Nil if the lengths do not fit `count`.
  private static func lengths(_ stated: [Int?], count: Int) -> [Int]? {
    guard count > 0, !stated.isEmpty, stated.count <= MILTextReader.maximumRank else { return nil }
    var known = 1
    for case let length? in stated {
      let (product, overflows) = known.multipliedReportingOverflow(by: length)
      guard !overflows, product > 0 else { return nil }
      known = product
    }
    let unknown: Int = stated.count { $0 == nil }
    guard count % known == 0, unknown == 1 || (unknown == 0 && count == known) else { return nil }
    return stated.map { $0 ?? count / known }
  }

  private mutating func addNested(
    _ elements: Spec.MILSpec.TensorValue.OneOfValue, of type: Spec.MILSpec.DataType,
    lengths: [Int], level: Int, position: inout Int
  ) {
    add("[")
    for index in 0..<lengths[level] {
      if index > 0 { add(", ") }
      if level + 1 < lengths.count {
        addNested(elements, of: type, lengths: lengths, level: level + 1, position: &position)
      } else {
        add(elements, at: position, of: type)
        position += 1
      }
    }
    add("]")
  }

  private mutating func add(
    _ elements: Spec.MILSpec.TensorValue.OneOfValue, at index: Int, of type: Spec.MILSpec.DataType
  ) {
    switch elements {
    case .floats(let floats): add(Double(floats.values[index]))
    case .doubles(let doubles): add(doubles.values[index])
    case .bools(let bools): add(bools.values[index] ? "true" : "false")
    case .strings(let strings): addString(strings.values[index])
    case .ints(let ints):
      let value: Int32 = ints.values[index]
      add(type == .uint32 ? String(UInt32(bitPattern: value)) : String(value))
    case .longInts(let longInts):
      let value: Int64 = longInts.values[index]
      add(type == .uint64 ? String(UInt64(bitPattern: value)) : String(value))
    case .bytes(let bytes): add(bytes.values, at: index, of: type)
    }
  }

  private mutating func add(_ bytes: ByteValues, at index: Int, of type: Spec.MILSpec.DataType) {
    let width: Int = type.bitWidth == 0 ? 8 : type.bitWidth
    var bits: UInt64 = 0
    // An element whose width is not a multiple of 8 bits may span two bytes.
    let part: Int = width % 8 == 0 ? 8 : 1
    for bit in stride(from: 0, to: width, by: part) {
      let position: Int = index * width + bit
      let found: UInt8 = bytes[position / 8] >> UInt8(position % 8)
      bits |= UInt64(part == 8 ? found : found & 1) << UInt64(bit)
    }
    switch type {
    case .bool: add(bits == 0 ? "false" : "true")
    case .float8e4m3fn: add(MILSmallFloat.float8e4m3fn(UInt8(bits)))
    case .float8e5m2: add(MILSmallFloat.float8e5m2(UInt8(bits)))
    case .float16: add(Double(Float16(bitPattern: UInt16(bits))))
    case .bfloat16: add(Double(Float(bitPattern: UInt32(bits) << 16)))
    case .float32: add(Double(Float(bitPattern: UInt32(bits))))
    case .float64: add(Double(bitPattern: bits))
    default:
      guard let integer = type.integerValue, integer.isSigned else { return add(String(bits)) }
      let shift = UInt64(64 - integer.bits)
      add(String(Int64(bitPattern: bits << shift) >> Int64(shift)))
    }
  }
}

extension Spec.MILSpec.TensorValue.OneOfValue {
  /// The type of a value for which the program states no type: a scalar, or a tensor of one dimension.
  var impliedType: Spec.MILSpec.ValueType {
    let element: Spec.MILSpec.DataType =
      switch self {
      case .floats: .float32
      case .doubles: .float64
      case .ints: .int32
      case .longInts: .int64
      case .bools: .bool
      case .strings: .string
      case .bytes: .uint8
      }
    let count: Int = count(of: element)
    return .making {
      $0.type = .tensorType(
        .making {
          $0.dataType = element
          $0.dimensions = count == 1 ? [] : [.known(UInt64(count))]
          $0.rank = Int64($0.dimensions.count)
        })
    }
  }

  /// Returns the number of elements. For packed bytes, this is the number of elements of the given type that fit into
  /// the bytes.
  func count(of type: Spec.MILSpec.DataType) -> Int {
    switch self {
    case .floats(let floats): floats.values.count
    case .doubles(let doubles): doubles.values.count
    case .ints(let ints): ints.values.count
    case .longInts(let longInts): longInts.values.count
    case .bools(let bools): bools.values.count
    case .strings(let strings): strings.values.count
    case .bytes(let bytes): bytes.values.count * 8 / (type.bitWidth == 0 ? 8 : type.bitWidth)
    }
  }
}
