import ModelFormat

/// Runs the opcodes of a pickle that build containers and arrays.
struct PickleMachine {
  typealias Value = PickleFile.Value
  typealias Object = PickleFile.Object

  /// Everything that was made, by index.
  private(set) var objects: [Object] = []
  private let bytes: ByteValues
  private let name: String
  private var offset: Int = 0
  private var stack: [Value] = []
  private var marks: [Int] = []
  private var memo: [Int: Value] = [:]

  init(_ bytes: ByteValues, name: String) {
    self.bytes = bytes
    self.name = name
  }

  /// The value that the pickle leaves when it stops.
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
        throw bad("it is of protocol \(version), expected 5 at the most")
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
    case Opcode.shortBinUnicode: stack.append(.text(try text(Int(try byte()))))
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
    default:
      throw bad(
        "its opcode 0x\(String(opcode, radix: 16)) before byte \(offset) builds something other"
          + " than arrays in dictionaries, lists and tuples, which is refused")
    }
  }

  // MARK: Names, calls and states

  private mutating func pushGlobal(module: String, name: String) throws {
    guard let allowed = PickleFile.AllowedName(module: module, name: name) else {
      throw bad(
        "it asks for '\(module).\(name)', which is refused; only NumPy arrays may be loaded")
    }
    push(.function(allowed))
  }

  /// Calls one of the allowed names.
  private mutating func reduce() throws {
    let (arguments, function) = (try items(of: try pop(), .tuple), try pop())
    guard case .object(let index) = function, case .function(let allowed) = objects[index].kind
    else { throw bad("it calls something that is no function") }
    switch allowed {
    case .reconstruct:
      // _reconstruct(ndarray, (0,), b'b') makes an empty array, which a state fills.
      guard arguments.count == 3, case .object(let type) = arguments[0],
        objects[type].kind == .function(.arrayClass)
      else { throw bad("an array is not made in NumPy's way") }
      push(.array(nil))
    case .elementTypeClass:
      guard case .text(let code)? = arguments.first,
        let type = NumericArray.ElementType(rawValue: code)
      else { throw bad("an array has elements that are no plain numbers") }
      push(.elementType(type))
    case .orderedDictionary:
      guard arguments.isEmpty else { throw bad("an ordered dictionary is made from a list") }
      push(.dictionary)
    case .arrayClass: throw bad("an array is not made in NumPy's way")
    }
  }

  /// Fills what was made before.
  private mutating func build() throws {
    let (state, target) = (try items(of: try pop(), .tuple), try top())
    guard case .object(let index) = target else { throw bad("it fills what is no object") }
    switch objects[index].kind {
    case .elementType:
      guard state.count >= 2, state[1] == .text("<") || state[1] == .text("|") else {
        throw bad("an array is not little-endian")
      }
    case .array(nil): objects[index].kind = .array(try array(from: state))
    default: throw bad("it fills what is neither an array nor its type")
    }
  }

  /// The array of a state `(version, shape, type, isColumnMajor, bytes)`.
  private func array(from state: [Value]) throws -> NumericArray {
    guard state.count == 5, case .object(let type) = state[2],
      case .elementType(let elementType) = objects[type].kind,
      case .boolean(let isColumnMajor) = state[3], case .bytes(let bytes) = state[4]
    else { throw bad("an array's state is not NumPy's") }
    let shape: [Int] = try items(of: state[1], .tuple).map { extent in
      guard case .integer(let extent) = extent else {
        throw bad("an array's extent is no whole number")
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
    guard let value = memo[key] else { throw bad("it recalls what it never remembered") }
    stack.append(value)
  }

  private mutating func add(_ items: [Value], to kind: Object.Kind) throws {
    guard case .object(let index) = try top(), objects[index].kind == kind else {
      throw bad("it adds items to what is no \(kind)")
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

  /// A line of a name, without its end.
  private mutating func line() throws -> String {
    guard let rest = bytes.slice(from: offset, count: min(1024, bytes.count - offset)),
      let end = rest.firstIndex(of: 0x0A)
    else { throw bad("a name does not end") }
    let line: String = try text(end)
    offset += 1
    return line
  }

  /// A two's complement number of up to 8 bytes.
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

/// The opcodes that are run, by Python's names.
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
  static let shortBinUnicode: UInt8 = 0x8c
  static let binBytes8: UInt8 = 0x8e
  static let stackGlobal: UInt8 = 0x93
  static let memoize: UInt8 = 0x94
  static let frame: UInt8 = 0x95
}
