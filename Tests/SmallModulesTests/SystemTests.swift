import AppleFoundation
import Foundation
import Testing
import os

/// Names with which programs for Apple's systems measure memory and time, and ask for the machine.
@Suite struct SystemTests {
  private func memory<Info>(
    _ info: inout Info, _ flavor: Int32, count: Int = MemoryLayout<Info>.size / 4
  ) -> kern_return_t {
    var count = mach_msg_type_number_t(count)
    return withUnsafeMutablePointer(to: &info) {
      $0.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
        task_info(mach_task_self_, task_flavor_t(flavor), $0, &count)
      }
    }
  }

  @Test("The memory of the process grows by what it writes")
  func memory() throws {
    let size = 64 << 20
    var (before, after) = (mach_task_basic_info(), mach_task_basic_info())
    var (footprintBefore, footprintAfter) = (task_vm_info_data_t(), task_vm_info_data_t())
    #expect(memory(&before, MACH_TASK_BASIC_INFO) == KERN_SUCCESS)
    #expect(memory(&footprintBefore, TASK_VM_INFO) == KERN_SUCCESS)
    let bytes = try #require(malloc(size))
    defer { free(bytes) }
    memset(bytes, 1, size)
    #expect(memory(&after, MACH_TASK_BASIC_INFO) == KERN_SUCCESS)
    #expect(memory(&footprintAfter, TASK_VM_INFO) == KERN_SUCCESS)
    // Other tests free memory meanwhile.
    let least = UInt64(size / 2)
    #expect(after.resident_size >= before.resident_size + least)
    #expect(footprintAfter.phys_footprint >= footprintBefore.phys_footprint + least)
    #expect(after.resident_size_max >= after.resident_size)
    #expect(after.virtual_size >= after.resident_size)
    #expect(os_proc_available_memory() > 0)
    #expect(os_proc_available_memory() < Int(ProcessInfo.processInfo.physicalMemory))
  }

  @Test("Other flavors, other processes and too little memory give an error")
  func badRequests() {
    var info = mach_task_basic_info()
    #expect(memory(&info, 99) == KERN_INVALID_ARGUMENT)
    #expect(memory(&info, MACH_TASK_BASIC_INFO, count: 2) == KERN_INVALID_ARGUMENT)
    #expect(info.resident_size == 0)
    #expect(task_info(7, task_flavor_t(TASK_VM_INFO), nil, nil) == KERN_INVALID_ARGUMENT)
  }

  @Test("The clock counts nanoseconds")
  func clock() {
    var base = mach_timebase_info_data_t()
    #expect(mach_timebase_info(&base) == KERN_SUCCESS && base.numer == 1 && base.denom == 1)
    var again = mach_timebase_info(numer: 0, denom: 0)
    mach_timebase_info(&again)
    #expect(again.numer == 1 && again.denom == 1)
    let start: UInt64 = mach_absolute_time()
    usleep(20_000)
    let time: UInt64 = mach_absolute_time() - start
    #expect(time >= 20_000_000 && time < 20_000_000_000)
  }

  private func text(_ name: String) throws -> String {
    var size = 0
    try #require(sysctlbyname(name, nil, &size, nil, 0) == 0)
    var bytes = [UInt8](repeating: 0xFF, count: size)
    try #require(sysctlbyname(name, &bytes, &size, nil, 0) == 0)
    #expect(bytes.last == 0)
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  @Test("Facts about the machine are those of uname and ProcessInfo")
  func facts() throws {
    var name = utsname()
    #expect(uname(&name) == 0)
    let release: String = withUnsafeBytes(of: name.release) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    #expect(try text("kern.osrelease") == release && text("kern.ostype") == "Linux")
    #expect(try ["x86_64", "aarch64"].contains(text("hw.machine")))
    #expect(try !text("machdep.cpu.brand_string").isEmpty && !text("hw.model").isEmpty)
    var memory: UInt64 = 0
    var size: Int = MemoryLayout<UInt64>.size
    #expect(sysctlbyname("hw.memsize", &memory, &size, nil, 0) == 0)
    #expect(memory == ProcessInfo.processInfo.physicalMemory && size == 8)
    var (logical, physical): (Int32, Int32) = (0, 0)
    size = 4
    #expect(sysctlbyname("hw.logicalcpu", &logical, &size, nil, 0) == 0)
    #expect(sysctlbyname("hw.physicalcpu", &physical, &size, nil, 0) == 0)
    #expect(Int(logical) == ProcessInfo.processInfo.processorCount)
    #expect(physical >= 1 && physical <= logical)
  }

  @Test("Unknown facts, changes and small memory fail with errno")
  func badFacts() {
    var (value, size): (Int32, Int) = (7, 4)
    #expect(sysctlbyname("hw.unicorns", &value, &size, nil, 0) == -1 && errno == ENOENT)
    #expect(sysctlbyname("hw.memsize", &value, &size, nil, 0) == -1 && errno == ENOMEM)
    #expect(value == 7 && size == 8)
    var other: Int32 = 1
    #expect(sysctlbyname("hw.ncpu", nil, nil, &other, 4) == -1 && errno == EPERM)
  }

  @Test(
    "The thermal state follows the kernel's trip points",
    arguments: [
      (40_000, ProcessInfo.ThermalState.nominal), (75_000, .fair), (90_000, .serious),
      (105_000, .critical),
    ])
  func thermalState(_ temperature: Int, _ expected: ProcessInfo.ThermalState) throws {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("atelier-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (zone, degrees) in [("thermal_zone0", 20_000), ("thermal_zone1", temperature)] {
      let files: URL = folder.appendingPathComponent(zone)
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      func write(_ text: String, _ name: String) throws {
        try Data("\(text)\n".utf8).write(to: files.appendingPathComponent(name))
      }
      try write("\(degrees)", "temp")
      let trips = [("active", 1), ("passive", 70_000), ("hot", 90_000), ("critical", 100_000)]
      for (index, trip) in trips.enumerated() {
        try write(trip.0, "trip_point_\(index)_type")
        try write("\(trip.1)", "trip_point_\(index)_temp")
      }
    }
    #expect(ProcessInfo.ThermalState(zones: folder) == expected)
    #expect(ProcessInfo.ThermalState(zones: folder.appendingPathComponent("none")) == .nominal)
    #expect(!ProcessInfo.processInfo.isLowPowerModeEnabled)
  }
}
