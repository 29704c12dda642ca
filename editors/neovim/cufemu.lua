-- CUDA Fortran in Neovim: the file type, the debugger for nvim-dap, and checks on saving.
--
-- Copy this file to lua/cufemu.lua in the configuration of Neovim and call require("cufemu").setup().

local M = {}

--- Options: `command`, the path of cufemu; `args`, options for debugging.
function M.setup(options)
  options = vim.tbl_extend("force", { command = "cufemu", args = { "--race" } }, options or {})

  vim.filetype.add({ extension = { cuf = "fortran", CUF = "fortran" } })

  local has_dap, dap = pcall(require, "dap")
  if has_dap then
    dap.adapters.cufemu = { type = "executable", command = options.command, args = { "dap" } }
    local configuration = {
      type = "cufemu",
      request = "launch",
      name = "Debug this file with cufemu",
      program = "${file}",
      cwd = "${fileDirname}",
      args = options.args,
    }
    dap.configurations.fortran = dap.configurations.fortran or {}
    table.insert(dap.configurations.fortran, configuration)
    table.insert(dap.configurations.fortran, vim.tbl_extend("force", configuration, {
      name = "Debug this file with cufemu, from the first statement to the end",
      stopOnEntry = true,
      stopAtEnd = true,
    }))
  end

  -- Errors and warnings of a saved file as diagnostics.
  local namespace = vim.api.nvim_create_namespace("cufemu")
  local severities = { error = vim.diagnostic.severity.ERROR, warning = vim.diagnostic.severity.WARN }
  vim.api.nvim_create_autocmd("BufWritePost", {
    pattern = { "*.cuf", "*.CUF" },
    callback = function(event)
      local file = vim.api.nvim_buf_get_name(event.buf)
      local command = { options.command, "check", "--message-format", "json", file }
      vim.system(command, { text = true, cwd = vim.fs.dirname(file) }, vim.schedule_wrap(function(result)
        local found = {}
        for line in vim.gsplit(result.stderr or "", "\n", { trimempty = true }) do
          local ok, report = pcall(vim.json.decode, line, { luanil = { object = true } })
          if ok and report.place and report.place.file == file then
            table.insert(found, {
              lnum = report.place.line - 1,
              col = report.place.column - 1,
              end_lnum = report.place.end_line - 1,
              end_col = report.place.end_column - 1,
              severity = severities[report.severity] or vim.diagnostic.severity.INFO,
              message = report.message,
              code = report.code,
              source = "cufemu",
            })
          end
        end
        if vim.api.nvim_buf_is_valid(event.buf) then
          vim.diagnostic.set(namespace, event.buf, found)
        end
      end))
    end,
  })
end

return M
