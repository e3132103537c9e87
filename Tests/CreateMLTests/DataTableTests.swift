import CreateML
import Foundation
import Testing

/// Tests tables of examples.
struct DataTableTests {
  private func table() throws -> MLDataTable {
    try MLDataTable(dictionary: [
      "name": ["Ada", "Bo", "Cy", "Di"], "age": [36, 41, 9, 41], "height": [1.7, 1.8, 1.2, 1.65],
    ])
  }

  private func read(
    _ text: String, name: String = "table.csv", _ options: MLDataTable.ParsingOptions = .init()
  ) throws -> MLDataTable {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("DataTableTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file: URL = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return try MLDataTable(contentsOf: file, options: options)
  }

  @Test("A dictionary of lists becomes columns with types")
  func dictionary() throws {
    let table = try table()
    #expect(table.size == (4, 3))
    #expect(Array(table.columnNames) == ["age", "height", "name"])
    #expect(table.columnTypes == ["age": .int, "height": .double, "name": .string])
    #expect(table["age", Int.self]?.sum() == 127)
    #expect(table["age"].doubles?.mean() == 31.75)
    #expect(table["name", Int.self] == nil)
    #expect(table.rows[1]["name"] == .string("Bo"))
    #expect(throws: MLCreateError.self) {
      try MLDataTable(dictionary: ["a": [1, 2], "b": [1]])
    }
  }

  @Test("Comma-separated values keep types, quotes and missing cells")
  func csv() throws {
    let table = try read(
      "city,rain,days\n\"Aix, en Provence\",1.5,3\nBonn,NA,4\n\"a \"\"b\"\"\",2,\n")
    #expect(table.columnTypes == ["city": .string, "rain": .double, "days": .int])
    #expect(table["city"][0] == .string("Aix, en Provence"))
    #expect(table["city"][2] == .string("a \"b\""))
    #expect(table["rain"][1] == .invalid)
    #expect(table.dropMissing().size.rows == 1)
    #expect(table.fillMissing(columnNamed: "days", with: .int(7))["days"][2] == .int(7))
    let other = try read(
      "# a note\n1;x\n2;y\n", .init(containsHeader: false, delimiter: ";", comment: "#"))
    #expect(Array(other.columnNames) == ["X1", "X2"])
    #expect(other.size == (2, 2))
  }

  @Test("A written table is read again")
  func writing() throws {
    let file: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("DataTableTests-\(UUID().uuidString).csv")
    defer { try? FileManager.default.removeItem(at: file) }
    try table().writeCSV(to: file)
    let again = try MLDataTable(contentsOf: file)
    #expect(try again.description == table().description)
  }

  @Test("JSON objects become rows")
  func json() throws {
    let table = try read(#"[{"a": 1, "b": "x"}, {"a": 2.5}]"#, name: "table.json")
    #expect(table.columnTypes == ["a": .double, "b": .string])
    #expect(table["b"][1] == .invalid)
    let error = #expect(throws: MLCreateError.self) { try read(#"{"a": [1]}"#, name: "table.json") }
    #expect(error?.description.contains("is not a JSON array of objects") == true)
  }

  @Test("Rows are selected, sorted and split")
  func rows() throws {
    let table = try table()
    #expect(table[table["age"] == 41].size.rows == 2)
    #expect(
      table.sort(columnNamed: "age")["name"].strings.map(Array.init) == ["Cy", "Ada", "Bo", "Di"])
    #expect(
      table.sort(columnNamed: "height", byIncreasingOrder: false)["name"][0] == .string("Bo"))
    #expect(table[1..<3].size.rows == 2)
    #expect(table[["name"]].size == (4, 1))
    let numbers = try MLDataTable(dictionary: ["n": Array(0..<100)])
    let (left, right) = numbers.randomSplit(by: 0.8, seed: 5)
    #expect(left.size.rows == 80 && right.size.rows == 20)
    let all: [Int] = Array(left["n"].ints ?? .init()) + Array(right["n"].ints ?? .init())
    #expect(all.sorted() == Array(0..<100))
    #expect(all != Array(0..<100))
    #expect(numbers.randomSplit(by: 0.8, seed: 5).0.description == left.description)
    #expect(numbers.randomSplit(by: 0.8, seed: 6).0.description != left.description)
  }

  @Test("Columns are added, renamed and removed, and a wrong name makes a table with an error")
  func columns() throws {
    var table = try table()
    table.addColumn(table.map { "\($0["name"]?.stringValue ?? "")!" }, named: "call")
    #expect(table["call"][2] == .string("Cy!"))
    table.renameColumn(named: "call", to: "shout")
    #expect(table.columnNames.contains("shout"))
    table.removeColumn(named: "shout")
    #expect(table.size == (4, 3))
    var doubled = table
    doubled.append(contentsOf: table)
    #expect(doubled.size.rows == 8)
    #expect(doubled.dropDuplicates().size.rows == 4)
    table.removeColumn(named: "weight")
    #expect(!table.isValid)
    #expect("\(table)".contains("has no column 'weight'; its columns are age, height, name"))
  }

  @Test("A table that is not readable gives one sentence")
  func faults() {
    let error = #expect(throws: MLCreateError.self) { try read("a,b\n1\n") }
    #expect(error?.description.contains("row 1 has 1 cells, expected 2.") == true)
    let missing = #expect(throws: MLCreateError.self) {
      try MLDataTable(contentsOf: URL(fileURLWithPath: "/nowhere.csv"))
    }
    #expect(missing?.description == "The table '/nowhere.csv' cannot be read. Check the path.")
  }
}
