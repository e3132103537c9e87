import ModelFormat

/// Runs the opcodes of a pickle that build containers and arrays.
struct PickleMachine {
  typealias Value = PickleFile.Value
  typealias Object = PickleFile.Object

  /// All containers and arrays that the pickle has created. Values refer to them by index.
  private(set) var objects: [Object] = []
  /// The index of the next byte.
  private(set) var offset: Int
  private let bytes: ByteValues
  private let name: String
  private let allowsTensors: Bool
  private var stack: [Value] = []
  private var marks: [Int] = []
  private var memo: [Int: Value] = [:]

  init(_ bytes: ByteValues, name: String, from start: Int, allowsTensors: Bool) {
    self.bytes = bytes
    self.name = name
    self.allowsTensors = allowsTensors
    offset = start
  }

  /// Runs the pickle and returns the value that is on the stack when it stops.
  mutating func run() throws -> Value {
    while true {
      let opcode: UInt8 = try byte()
      if opcode == Opcode.stop { return try pop() }
      try execute(opcode)
    }
  }

  private mutating func execute(_ opcode: UInt8) throws {
    switch opcode {
    case Opcode.proto:
      let version: UInt8 = try byte()
      guard version <= 5 else {
        throw bad("it has protocol \(version), expected at most 5")
      }
    case Opcode.frame: _ = try take(8)
    case Opcode.mark: marks.append(stack.count)
    case Opcode.none: stack.append(.none)
    case Opcode.newTrue: stack.append(.boolean(true))
    case Opcode.newFalse: stack.append(.boolean(false))
    case Opcode.binInt1: stack.append(.integer(Int(try byte())))
    case Opcode.binInt2: stack.append(.integer(Int(try number(UInt16.self))))
    case Opcode.binInt: stack.append(.integer(Int(try number(Int32.self))))
    case Opcode.long1: stack.append(.integer(try longInteger()))
    case Opcode.binFloat:
      stack.append(.number(Double(bitPattern: UInt64(bigEndian: try raw(UInt64.self)))))
    case Opcode.binUnicode: stack.append(.text(try text(Int(try number(UInt32.self)))))
    case Opcode.shortBinString, Opcode.shortBinUnicode:
      stack.append(.text(try text(Int(try byte()))))
    case Opcode.shortBinBytes: stack.append(.bytes(try take(Int(try byte()))))
    case Opcode.binBytes: stack.append(.bytes(try take(Int(try number(UInt32.self)))))
    case Opcode.binBytes8: stack.append(.bytes(try take(try length8())))
    case Opcode.binPut: memo[Int(try byte())] = try top()
    case Opcode.longBinPut: memo[Int(try number(UInt32.self))] = try top()
    case Opcode.memoize: memo[memo.count] = try top()
    case Opcode.binGet: try recall(Int(try byte()))
    case Opcode.longBinGet: try recall(Int(try number(UInt32.self)))
    case Opcode.global: try pushGlobal(module: try line(), name: try line())
    case Opcode.stackGlobal:
      let (name, module) = (try pop(), try pop())
      guard case .text(let name) = name, case .text(let module) = module else {
        throw bad("a name is not text")
      }
      try pushGlobal(module: module, name: name)
    default: try executeOnContainers(opcode)
    }
  }

  private mutating func executeOnContainers(_ opcode: UInt8) throws {
    switch opcode {
    case Opcode.emptyList: push(.list)
    case Opcode.emptyDict: push(.dictionary)
    case Opcode.emptyTuple: push(.tuple)
    case Opcode.tuple: push(.tuple, try popToMark())
    case Opcode.tuple1: push(.tuple, [try pop()])
    case Opcode.tuple2, Opcode.tuple3:
      var items: [Value] = []
      for _ in 0...Int(opcode - Opcode.tuple1) { items.append(try pop()) }
      push(.tuple, items.reversed())
    case Opcode.append: try add([try pop()], to: .list)
    case Opcode.appends: try add(try popToMark(), to: .list)
    case Opcode.setItem:
      let (value, key) = (try pop(), try pop())
      try add([key, value], to: .dictionary)
    case Opcode.setItems:
      let items: [Value] = try popToMark()
      guard items.count % 2 == 0 else { throw bad("a key has no value") }
      try add(items, to: .dictionary)
    case Opcode.reduce: try reduce()
    case Opcode.build: try build()
    case Opcode.binPersistent where allowsTensors:
      push(.storage(try storage(try items(of: try pop(), .tuple))))
    default:
      throw bad(
        "its opcode 0x\(String(opcode, radix: 16)) before byte \(offset) is refused, because it"
          + " does not build arrays in dictionaries, lists and tuples")
    }
  }

  // MARK: Names, calls and states

  private mutating func pushGlobal(module: String, name: String) throws {
    guard
      let allowed = PickleFile.AllowedName(
        module: module, name: name, allowsTensors: allowsTensors)
    else {
      let kinds: String = allowsTensors ? "tensors of 32-bit numbers" : "NumPy arrays"
      throw bad("it uses '\(module).\(name)', which is refused; only \(kinds) may be loaded")
    }
    push(.function(allowed))
  }

  /// Runs the opcode REDUCE: calls one of the allowed functions.
  private mutating func reduce() throws {
    let (arguments, function) = (try items(of: try pop(), .tuple), try pop())
    guard case .object(let index) = function, case .function(let allowed) = objects[index].kind
    else { throw bad("it calls something that is not a function") }
    switch allowed {
    case .reconstruct:
      // _reconstruct(ndarray, (0,), b'b') creates an empty array. A later BUILD opcode fills the array from a state.
      guard arguments.count == 3, case .object(let type) = arguments[0],
        objects[type].kind == .function(.arrayClass)
      else { throw bad("an array is not made in NumPy's way") }
      push(.array(nil))
    case .elementTypeClass:
      guard case .text(let code)? = arguments.first,
        let type = NumericArray.ElementType(rawValue: code)
      else { throw bad("an array has elements that are not plain numbers") }
      push(.elementType(type))
    case .orderedDictionary:
      push(.dictionary, try arguments.first.map { try pairs(of: $0) } ?? [])
    case .rebuildTensor: push(.tensor(try tensor(arguments)))
    case .arrayClass, .floatStorage: throw bad("an array is not made in NumPy's way")
    }
  }

  /// Returns the items key, value, key, value, … of a list of pairs.
  private func pairs(of list: Value) throws -> [Value] {
    try items(of: list, .list).flatMap { pair -> [Value] in
      guard case .object(let index) = pair,
        objects[index].kind == .list || objects[index].kind == .tuple,
        objects[index].items.count == 2
      else { throw bad("an ordered dictionary is not made from pairs") }
      return objects[index].items
    }
  }

  // MARK: Tensors of PyTorch

  /// Converts a persistent identifier `('storage', FloatStorage, key, device, count, view)` to a storage.
  private func storage(_ words: [Value]) throws -> TorchStorage {
    guard words.count == 6, words[0] == .text("storage"), case .object(let type) = words[1],
      objects[type].kind == .function(.floatStorage), case .text(let key) = words[2],
      case .integer(let count) = words[4], count >= 0, words[5] == .none
    else { throw bad("it refers to something that is not a storage of 32-bit numbers") }
    return TorchStorage(key: key, count: count)
  }

  /// Converts the arguments `(storage, offset, shape, strides, …)` to a tensor, which must be in row-major order.
  private func tensor(_ arguments: [Value]) throws -> TorchTensor {
    guard arguments.count >= 4, case .object(let index) = arguments[0],
      case .storage(let storage) = objects[index].kind, case .integer(let offset) = arguments[1]
    else { throw bad("a tensor is not made in PyTorch's way") }
    func integers(_ tuple: Value) throws -> [Int] {
      try items(of: tuple, .tuple).map { item in
        guard case .integer(let number) = item, number >= 0 else {
          throw bad("a tensor's extent is not an integer of 0 or more")
        }
        return number
      }
    }
    let shape: [Int] = try integers(arguments[2])
    let strides: [Int] = try integers(arguments[3])
    let count: Int = shape.product
    var step: Int = count
    let isRowMajor: Bool = zip(shape, strides).allSatisfy { extent, stride in
      step /= max(extent, 1)
      return stride == step || extent == 1
    }
    guard strides.count == shape.count, isRowMajor, offset >= 0, offset <= storage.count,
      count <= storage.count - offset
    else { throw bad("a tensor of \(shape) does not lie in row-major order in its storage") }
    return TorchTensor(storage: storage, offset: offset, shape: shape)
  }

  /// Runs the opcode BUILD: fills an object from a state.
  private mutating func build() throws {
    let (filling, target) = (try pop(), try top())
    guard case .object(let index) = target else {
      throw bad("it fills something that is not an object")
    }
    // PyTorch gives its dictionaries attributes with the versions of modules. This reader ignores these attributes.
    if allowsTensors, objects[index].kind == .dictionary { return }
    let state: [Value] = try items(of: filling, .tuple)
    switch objects[index].kind {
    case .elementType:
      guard state.count >= 2, state[1] == .text("<") || state[1] == .text("|") else {
        throw bad("an array is not little-endian")
      }
    case .array(nil): objects[index].kind = .array(try array(from: state))
    default: throw bad("it fills something that is not an array or its type")
    }
  }

  /// Converts a state `(version, shape, type, isColumnMajor, bytes)` to an array.
  private func array(from state: [Value]) throws -> NumericArray {
    guard state.count == 5, case .object(let type) = state[2],
      case .elementType(let elementType) = objects[type].kind,
      case .boolean(let isColumnMajor) = state[3], case .bytes(let bytes) = state[4]
    else { throw bad("an array's state is not NumPy's") }
    let shape: [Int] = try items(of: state[1], .tuple).map { extent in
      guard case .integer(let extent) = extent else {
        throw bad("an array's extent is not an integer")
      }
      return extent
    }
    guard
      let array = NumericArray(
        elementType, shape: shape, isColumnMajor: isColumnMajor, bytes: bytes)
    else {
      let extents: String = shape.map(String.init).joined(separator: " × ")
      throw bad("an array of \(extents) \(elementType) has \(bytes.count) bytes")
    }
    return array
  }

  // MARK: Stack and containers

  private mutating func push(_ kind: Object.Kind, _ items: [Value] = []) {
    objects.append(Object(kind: kind, items: items))
    stack.append(.object(objects.count - 1))
  }

  private mutating func pop() throws -> Value {
    guard stack.count > marks.last ?? 0, let value = stack.popLast() else {
      throw bad("its stack is empty before byte \(offset)")
    }
    return value
  }

  private func top() throws -> Value {
    guard stack.count > marks.last ?? 0, let value = stack.last else {
      throw bad("its stack is empty before byte \(offset)")
    }
    return value
  }

  private mutating func popToMark() throws -> [Value] {
    guard let mark = marks.popLast() else { throw bad("a mark is missing before byte \(offset)") }
    let items = Array(stack[mark...])
    stack.removeSubrange(mark...)
    return items
  }

  private mutating func recall(_ key: Int) throws {
    guard let value = memo[key] else { throw bad("it reads a memo entry that was never stored") }
    stack.append(value)
  }

  private mutating func add(_ items: [Value], to kind: Object.Kind) throws {
    guard case .object(let index) = try top(), objects[index].kind == kind else {
      throw bad("it adds items to something that is not a \(kind)")
    }
    objects[index].items.append(contentsOf: items)
  }

  private func items(of value: Value, _ kind: Object.Kind) throws -> [Value] {
    guard case .object(let index) = value, objects[index].kind == kind else {
      throw bad("a \(kind) was expected before byte \(offset)")
    }
    return objects[index].items
  }

  // MARK: Bytes

  private mutating func take(_ count: Int) throws -> ByteValues {
    guard let slice = bytes.slice(from: offset, count: count) else {
      throw bad("it ends at byte \(bytes.count) within a value of \(count) bytes")
    }
    offset += count
    return slice
  }

  private mutating func byte() throws -> UInt8 {
    guard offset < bytes.count else { throw bad("it ends at byte \(bytes.count) without a stop") }
    defer { offset += 1 }
    return bytes[offset]
  }

  private mutating func raw<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    try take(type.bitWidth / 8).withUnsafeBytes { $0.loadUnaligned(as: type) }
  }

  private mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    Number(littleEndian: try raw(type))
  }

  private mutating func length8() throws -> Int { Int(clamping: try number(UInt64.self)) }

  private mutating func text(_ count: Int) throws -> String {
    guard let text = String(validating: try take(count), as: UTF8.self) else {
      throw bad("text before byte \(offset) is not UTF-8")
    }
    return text
  }

  /// Reads a line and returns it without the line break. Such a line contains a name.
  private mutating func line() throws -> String {
    guard let rest = bytes.slice(from: offset, count: min(1024, bytes.count - offset)),
      let end = rest.firstIndex(of: 0x0A)
    else { throw bad("a name does not end") }
    let line: String = try text(end)
    offset += 1
    return line
  }

  /// Reads a length byte, then a little-endian two's complement integer of that many bytes, at most 8.
  private mutating func longInteger() throws -> Int {
    let digits: ByteValues = try take(Int(try byte()))
    guard digits.count <= 8 else { throw bad("a number of \(digits.count) bytes is too large") }
    guard let last = digits.last else { return 0 }
    var value: UInt64 = last >= 0x80 ? UInt64.max : 0
    for digit in digits.reversed() { value = (value << 8) | UInt64(digit) }
    return Int(Int64(bitPattern: value))
  }

  private func bad(_ fault: String) -> ModelToolsError {
    ModelToolsError(.badPickle, "Weights '\(name)': the pickle is not usable: \(fault).")
  }
}

/// The accepted opcodes, with the names that Python's `pickletools` gives them.
private enum Opcode {
  static let mark = UInt8(ascii: "(")
  static let stop = UInt8(ascii: ".")
  static let none = UInt8(ascii: "N")
  static let binInt = UInt8(ascii: "J")
  static let binInt1 = UInt8(ascii: "K")
  static let binInt2 = UInt8(ascii: "M")
  static let binFloat = UInt8(ascii: "G")
  static let binUnicode = UInt8(ascii: "X")
  static let binBytes = UInt8(ascii: "B")
  static let shortBinBytes = UInt8(ascii: "C")
  static let append = UInt8(ascii: "a")
  static let appends = UInt8(ascii: "e")
  static let build = UInt8(ascii: "b")
  static let global = UInt8(ascii: "c")
  static let emptyDict = UInt8(ascii: "}")
  static let emptyList = UInt8(ascii: "]")
  static let emptyTuple = UInt8(ascii: ")")
  static let tuple = UInt8(ascii: "t")
  static let binGet = UInt8(ascii: "h")
  static let longBinGet = UInt8(ascii: "j")
  static let binPut = UInt8(ascii: "q")
  static let longBinPut = UInt8(ascii: "r")
  static let reduce = UInt8(ascii: "R")
  static let setItem = UInt8(ascii: "s")
  static let setItems = UInt8(ascii: "u")
  static let proto: UInt8 = 0x80
  static let tuple1: UInt8 = 0x85
  static let tuple2: UInt8 = 0x86
  static let tuple3: UInt8 = 0x87
  static let newTrue: UInt8 = 0x88
  static let newFalse: UInt8 = 0x89
  static let long1: UInt8 = 0x8a
  static let binPersistent = UInt8(ascii: "Q")
  static let shortBinString = UInt8(ascii: "U")
  static let shortBinUnicode: UInt8 = 0x8c
  static let binBytes8: UInt8 = 0x8e
  static let stackGlobal: UInt8 = 0x93
  static let memoize: UInt8 = 0x94
  static let frame: UInt8 = 0x95
}
