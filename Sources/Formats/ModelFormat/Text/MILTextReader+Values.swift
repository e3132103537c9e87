extension MILTextReader {
  /// Reads a type, such as `tensor<fp16, [1, ?]>`, `dict<string, string>` or `bool`.
  mutating func valueType() throws -> Spec.MILSpec.ValueType {
    guard lexer.kind == .word else { throw expected("a type") }
    return try valueType(word: try readName())
  }

  /// Reads the rest of a type. The caller has read its first word, `word`.
  mutating func valueType(word: String, depth: Int = 0) throws -> Spec.MILSpec.ValueType {
    guard depth < Self.maximumNesting else {
      throw fault("types are nested deeper than \(Self.maximumNesting)")
    }
    var type = Spec.MILSpec.ValueType()
    switch word {
    case "tensor":
      try expect("<")
      let element: Spec.MILSpec.DataType = try elementType(try readName())
      try expect(",")
      type.type = .tensorType(try tensorType(of: element))
    case "list":
      try expect("<")
      let element: Spec.MILSpec.ValueType = try innerType(depth)
      try expect(",")
      let length: Spec.MILSpec.Dimension = try dimension()
      type.type = .listType(
        .making {
          $0.type = element
          $0.length = length
        })
    case "dict":
      try expect("<")
      let key: Spec.MILSpec.ValueType = try innerType(depth)
      try expect(",")
      let value: Spec.MILSpec.ValueType = try innerType(depth)
      type.type = .dictionaryType(
        .making {
          $0.keyType = key
          $0.valueType = value
        })
    case "state":
      try expect("<")
      let wrapped: Spec.MILSpec.ValueType = try innerType(depth)
      type.type = .stateType(.making { $0.wrappedType = wrapped })
    case "tuple":
      let types = try list(from: "<", to: ">") { reader in try reader.innerType(depth) }
      type.type = .tupleType(.making { $0.types = types })
      return type
    case MILTextNames.unknownType:
      return type
    default:
      let element: Spec.MILSpec.DataType = try elementType(word)
      type.type = .tensorType(.making { $0.dataType = element })
      return type
    }
    try expect(">")
    return type
  }

  private mutating func innerType(_ depth: Int) throws -> Spec.MILSpec.ValueType {
    guard lexer.kind == .word else { throw expected("a type") }
    return try valueType(word: try readName(), depth: depth + 1)
  }

  private func elementType(_ word: String) throws -> Spec.MILSpec.DataType {
    guard let type = Spec.MILSpec.DataType(textName: word) else {
      throw fault("'\(word.prefix(40))' is not a type")
    }
    return type
  }

  /// Reads the rest of a tensor's type: the tensor's dimensions. The text has `*` if their number is unknown.
  private mutating func tensorType(of element: Spec.MILSpec.DataType) throws
    -> Spec.MILSpec.TensorType
  {
    var type = Spec.MILSpec.TensorType()
    type.dataType = element
    if isAt("*") {
      try lexer.advance()
      type.rank = -1
    } else {
      type.dimensions = try list(from: "[", to: "]") { reader in try reader.dimension() }
      type.rank = Int64(type.dimensions.count)
    }
    return type
  }

  /// Reads a length, `?` for an unknown length, or `...` for any number of dimensions.
  private mutating func dimension() throws -> Spec.MILSpec.Dimension {
    if isAt("?") {
      try lexer.advance()
      return .unknown()
    }
    if isAt(".") {
      for _ in 0..<3 { try expect(".") }
      return .unknown(isVariadic: true)
    }
    guard lexer.kind == .number, let size = MILNumber.integerValue(lexer.slice, as: UInt64.self)
    else { throw expected("a length or '?'") }
    try lexer.advance()
    return .known(size)
  }

  // MARK: Values

  /// Reads a type with a value: `tensor<int32, [2]>([1, 2])`.
  mutating func typedValue() throws -> Spec.MILSpec.Value {
    guard lexer.kind == .word else { throw expected("a type") }
    return try typedValue(word: try readName())
  }

  /// Reads the rest of a type and its value. The caller has read the type's first word, `word`.
  mutating func typedValue(word: String) throws -> Spec.MILSpec.Value {
    let type: Spec.MILSpec.ValueType = try valueType(word: word)
    try expect("(")
    var value: Spec.MILSpec.Value
    if lexer.kind == .word, lexer.text == "BLOBFILE" {
      let file: Spec.MILSpec.Value.BlobFileValue = try blobFile()
      value = .making { $0.value = .blobFileValue(file) }
    } else {
      if case .tensorType(let tensor)? = type.type,
        tensor.dimensions.count(where: { $0.length == nil }) > 1
      {
        throw fault("a value's tensor has more than one unknown length")
      }
      value = try self.value(of: type, depth: 0)
    }
    try expect(")")
    value.type = type
    return value
  }

  /// Reads the location of a value in a weight file: `BLOBFILE(path = …, offset = …)`.
  private mutating func blobFile() throws -> Spec.MILSpec.Value.BlobFileValue {
    try lexer.advance()
    let parts = try list(from: "(", to: ")") { reader in
      let key: String = try reader.readName()
      try reader.expect("=")
      return (key, try reader.typedValue())
    }
    let values = Dictionary(parts) { first, _ in first }
    guard case .strings(let path)? = values["path"]?.tensor, path.values.count == 1,
      case .longInts(let offset)? = values["offset"]?.tensor, offset.values.count == 1
    else { throw fault("a BLOBFILE lacks its path (a string) or its offset (a uint64)") }
    return .making {
      $0.fileName = path.values[0]
      $0.offset = UInt64(bitPattern: offset.values[0])
    }
  }

  /// Reads a value of the type that the text states before it.
  private mutating func value(of type: Spec.MILSpec.ValueType?, depth: Int) throws
    -> Spec.MILSpec.Value
  {
    guard depth < Self.maximumNesting else {
      throw fault("values are nested deeper than \(Self.maximumNesting)")
    }
    var immediate = Spec.MILSpec.Value.ImmediateValue()
    var exact: Spec.MILSpec.ValueType? = type
    switch type?.type {
    case .tensorType(let tensor)?:
      let (elements, lengths) = try tensorElements(of: tensor)
      immediate.value = .tensor(elements)
      var known: Spec.MILSpec.TensorType = tensor
      known.dimensions = lengths.map { .known($0) }
      exact?.type = .tensorType(known)
    case .listType(let listType)?:
      let values = try list(from: "[", to: "]") { reader in
        try reader.value(of: listType.type, depth: depth + 1)
      }
      if let length = listType.length?.length, length != UInt64(values.count) {
        throw fault("a list has \(values.count) elements, expected \(length)")
      }
      immediate.value = .list(.making { $0.values = values })
    case .tupleType(let tuple)?:
      var rest: ArraySlice<Spec.MILSpec.ValueType> = tuple.types[...]
      let values = try list(from: "(", to: ")") { reader in
        guard let type = rest.popFirst() else {
          throw reader.fault("a tuple has more than \(tuple.types.count) values")
        }
        return try reader.value(of: type, depth: depth + 1)
      }
      guard rest.isEmpty else {
        throw fault("a tuple has \(values.count) values, expected \(tuple.types.count)")
      }
      immediate.value = .tuple(.making { $0.values = values })
    case .dictionaryType(let dictionary)?:
      let pairs = try list(from: "{", to: "}") { reader in
        try reader.pair(of: dictionary, depth: depth + 1)
      }
      immediate.value = .dictionary(.making { $0.values = pairs })
    case .stateType?, nil:
      throw fault("a state or a value of unknown type has no literal")
    }
    return .making {
      $0.type = exact
      $0.value = .immediateValue(immediate)
    }
  }

  private mutating func pair(of type: Spec.MILSpec.DictionaryType, depth: Int) throws
    -> Spec.MILSpec.DictionaryValue.KeyValuePair
  {
    try expect("{")
    let key: Spec.MILSpec.Value = try value(of: type.keyType, depth: depth)
    try expect(",")
    let value: Spec.MILSpec.Value = try value(of: type.valueType, depth: depth)
    try expect("}")
    return .making {
      $0.key = key
      $0.value = value
    }
  }
}

extension Spec.MILSpec.Value {
  /// The elements of a tensor whose value is in the message itself. Nil if the value is in a weight file.
  var tensor: Spec.MILSpec.TensorValue.OneOfValue? {
    guard case .immediateValue(let immediate)? = value, case .tensor(let tensor)? = immediate.value
    else { return nil }
    return tensor.value
  }
}
